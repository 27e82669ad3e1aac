"""Names of targets as CONTRACT §6 *Names* fixes them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sessionlens.cache import lazy

_K8S = {
    "po": "pod", "pod": "pod", "pods": "pod",
    "deploy": "deployment", "deployment": "deployment", "deployments": "deployment", "deployment.apps": "deployment",
    "deployments.apps": "deployment",
    "sts": "statefulset", "statefulset": "statefulset", "statefulsets": "statefulset",
    "statefulset.apps": "statefulset", "ds": "daemonset", "daemonset": "daemonset", "daemonsets": "daemonset",
    "rs": "replicaset", "replicaset": "replicaset", "replicasets": "replicaset",
    "rc": "replicationcontroller", "replicationcontroller": "replicationcontroller",
    "svc": "service", "service": "service", "services": "service",
    "cm": "configmap", "configmap": "configmap", "configmaps": "configmap",
    "secret": "secret", "secrets": "secret", "ns": "namespace", "namespace": "namespace", "namespaces": "namespace",
    "no": "node", "node": "node", "nodes": "node", "job": "job", "jobs": "job", "cj": "cronjob",
    "cronjob": "cronjob", "cronjobs": "cronjob", "ing": "ingress", "ingress": "ingress", "ingresses": "ingress",
    "ingressroute": "ingressroute", "ingressroutes": "ingressroute",
    "pvc": "persistentvolumeclaim", "persistentvolumeclaim": "persistentvolumeclaim",
    "persistentvolumeclaims": "persistentvolumeclaim", "pv": "persistentvolume",
    "persistentvolume": "persistentvolume", "persistentvolumes": "persistentvolume",
    "hpa": "horizontalpodautoscaler", "horizontalpodautoscaler": "horizontalpodautoscaler",
    "horizontalpodautoscalers": "horizontalpodautoscaler",
    "sa": "serviceaccount", "serviceaccount": "serviceaccount", "serviceaccounts": "serviceaccount",
    "ep": "endpoints", "endpoints": "endpoints", "ev": "event", "event": "event", "events": "event",
    "netpol": "networkpolicy", "networkpolicy": "networkpolicy", "networkpolicies": "networkpolicy",
    "pdb": "poddisruptionbudget", "poddisruptionbudget": "poddisruptionbudget",
    "sc": "storageclass", "storageclass": "storageclass", "storageclasses": "storageclass",
    "crd": "customresourcedefinition", "crds": "customresourcedefinition",
    "customresourcedefinition": "customresourcedefinition", "quota": "resourcequota",
    "resourcequota": "resourcequota", "role": "role", "roles": "role", "rolebinding": "rolebinding",
    "rolebindings": "rolebinding", "clusterrole": "clusterrole", "clusterroles": "clusterrole",
    "clusterrolebinding": "clusterrolebinding", "certificate": "certificate", "certificates": "certificate",
    "cert": "certificate", "dc": "deploymentconfig", "deploymentconfig": "deploymentconfig", "route": "route",
    "routes": "route", "bc": "buildconfig", "application": "application", "applications": "application",
    "app": "application", "helmrelease": "helmrelease", "helmreleases": "helmrelease", "hr": "helmrelease",
    "kustomization": "kustomization", "kustomizations": "kustomization", "ks": "kustomization",
    "rollout": "rollout", "rollouts": "rollout", "vs": "virtualservice", "virtualservice": "virtualservice",
    "limits": "limitrange", "limitrange": "limitrange",
}  # fmt: skip
"""Short and plural names of Kubernetes kinds, to the singular."""

_SUFFIX = lazy(r"\.(service|socket|timer|target|mount|slice|scope|path)$")


def k8s_kind(word: str) -> str:
    """A kind in singular; kinds of custom resources lose their group and a plural s."""
    lowered = word.lower()
    known = _K8S.get(lowered)
    if known is not None:
        return known
    lowered = lowered.split(".", 1)[0]
    known = _K8S.get(lowered)
    if known is not None:
        return known
    if lowered.endswith("ies"):
        return lowered[:-3] + "y"
    if lowered.endswith(("sses", "uses", "xes", "ches", "shes")):
        return lowered[:-2]
    if lowered.endswith("s") and not lowered.endswith(("ss", "us")):
        return lowered[:-1]
    return lowered


def k8s_name(operands: Sequence[str], default: str = "") -> str:
    """``kind/name`` from ``deploy/web``, ``deployment web``, or a bare name with a default kind."""
    if not operands:
        return ""
    first = operands[0]
    if "/" in first:
        kind, _, name = first.partition("/")
        return f"{k8s_kind(kind)}/{name}"
    if default:
        return f"{default}/{first}"
    kind = k8s_kind(first.split(",", 1)[0])
    if len(operands) > 1:
        return f"{kind}/{operands[1]}"
    return kind


def service_name(word: str) -> str:
    """A service without ``.service`` and without folders; other unit types keep theirs."""
    name = word.rsplit("/", 1)[-1]
    return name.removesuffix(".service")


def unit_name(word: str) -> str:
    """A unit's bare name, whatever its type."""
    return _SUFFIX.sub("", word.rsplit("/", 1)[-1])


def manifest_names(text: str) -> list[str]:
    """``kind/name`` of the objects of a Kubernetes manifest, in order; read by its lines, not as YAML."""
    names: list[str] = []
    kind = name = ""
    within = False
    for line in [*text[:200_000].split("\n"), "---"]:
        stripped = line.strip()
        if stripped == "---":
            if kind and name and len(names) < 64:
                names.append(f"{k8s_kind(kind)}/{name}")
            kind, name, within = "", "", False
        elif line[:1] not in {" ", "\t", "#", ""}:
            key, _, value = stripped.partition(":")
            within = key == "metadata"
            if key == "kind":
                kind = value.strip().strip("'\"")
            elif within and (inline := re.search(r"\bname:\s*['\"]?([\w.-]+)", value)):
                name = inline[1]
        elif within and not name and stripped.startswith("name:"):
            name = stripped[5:].split("#", 1)[0].strip().strip("'\"")
    return names
