"""Calls of other servers' tools, read by their names and arguments."""

from __future__ import annotations

from typing import Any

import pytest

from sessionlens.shell import command_line, read_call


@pytest.mark.parametrize(
    ("tool", "arguments", "effect", "name"),
    [
        ("mcp__infra__restart_service", {"service": "billing", "host": "app2"}, "restart", "billing"),
        ("restart-container", {"container_id": "web"}, "restart", "web"),
        ("podman.startContainer", {"name": "web"}, "start", "web"),
        ("k8s_rollout_restart", {"name": "cart", "namespace": "shop"}, "restart", "deployment/cart"),
        (
            "kubectl_rollout",
            {"subCommand": "restart", "resourceType": "statefulset", "name": "db"},
            "restart",
            "statefulset/db",
        ),
        ("helm_upgrade", {"name": "api", "namespace": "prod"}, "deploy", "api"),
        ("vm_reboot", {"vmid": "101"}, "reboot", "101"),
        ("infra_service_status", {"service": "billing"}, "check", "billing"),
        ("get_deployment", {"deployment": "cart"}, "check", "deployment/cart"),
        ("mcp__gitops__sync_application", {"application": "cart", "cluster": "eu-1"}, "deploy", "cart"),
        ("mcp__flux__reconcile_kustomization", {"name": "infra"}, "deploy", "infra"),
        (
            "mcp__cloud__update_ecs_service",
            {"service": "cart", "forceNewDeployment": "true"},
            "deploy",
            "cart",
        ),
        ("mcp__paas__promote_release", {"app": "cart"}, "deploy", "cart"),
        ("mcp__paas__deploy_to_staging", {"name": "cart"}, "deploy", "cart"),
        ("mcp__ci__trigger_build", {"job_name": "cart-main"}, "build", "cart-main"),
        ("mcp__ci__retryPipeline", {"pipeline_id": "811"}, "build", "811"),
        (
            "mcp__pg__apply_migration",
            {"project_id": "xkcd", "query": "alter table a add b int"},
            "migrate",
            "xkcd",
        ),
        ("mcp__gitops__get_sync_status", {"application": "cart"}, "check", "cart"),
    ],
)
def test_the_name_and_the_arguments_tell(
    tool: str, arguments: dict[str, Any], effect: str, name: str
) -> None:
    (command,) = read_call(tool, arguments)
    assert (command.effect, command.target.name, command.confidence) == (effect, name, "low")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("browser_reload", {"name": "shop"}),
        ("mcp__ide__restartKernel", {"name": "py"}),
        ("mcp__tracker__start_task", {"name": "fix it", "project": "shop"}),
        ("restart_service", {"force": True}),
        ("get_issue", {"id": "12"}),
        ("mcp__cal__sync_calendar", {"name": "home"}),
        ("mcp__pager__update_service", {"service": "billing"}),
        ("mcp__notion__update_page", {"name": "Deployments", "id": "1"}),
        ("mcp__github__create_release", {"name": "v1", "repo": "cart"}),
        ("mcp__figma__set_image", {"name": "hero"}),
    ],
)
def test_neither_a_word_alone_nor_a_name_alone_tells(tool: str, arguments: dict[str, Any]) -> None:
    assert read_call(tool, arguments) == ()


def test_the_name_of_a_tool_names_the_place_where_the_arguments_do_not() -> None:
    (staging,) = read_call("mcp__paas__deploy_to_staging", {"name": "cart"})
    (named,) = read_call("mcp__paas__deploy_to_staging", {"name": "cart", "environment": "qa"})
    assert (staging.target.context, staging.environment, named.target.context) == ("staging", "staging", "qa")


@pytest.mark.parametrize(
    "tool", ["mcp__ssh__exec", "ssh_run_command", "remote-ssh_execute", "executeSshCommand"]
)
def test_a_line_for_another_host_runs_there(tool: str) -> None:
    (command,) = read_call(tool, {"host": "app2", "command": "systemctl restart billing"})
    assert (command.effect, command.target.name, command.target.host) == ("restart", "billing", "app2")
    assert command_line(tool, {"command": "ls"}) == "ls"


@pytest.mark.parametrize("tool", ["redis_run_command", "run_vscode_command", "get_command_output"])
def test_not_every_command_is_a_shell_s(tool: str) -> None:
    assert command_line(tool, {"command": "GET x"}) is None


@pytest.mark.parametrize(
    ("tool", "arguments", "where"),
    [
        ("mcp__infra__restart_service", {"service": "redis"}, "unknown"),
        ("mcp__infra__restart_service", {"service": "redis", "host": "cache2"}, "production"),
        ("mcp__infra__restart_service", {"service": "redis-staging"}, "staging"),
        ("mcp__filesystem__write_file", {"path": "/home/dev/a.txt", "content": "x"}, "local"),
    ],
)
def test_where_a_tool_of_another_server_acts(tool: str, arguments: dict[str, str], where: str) -> None:
    (command,) = read_call(tool, arguments)
    assert command.environment == where
