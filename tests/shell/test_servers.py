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
    ],
)
def test_neither_a_word_alone_nor_a_name_alone_tells(tool: str, arguments: dict[str, Any]) -> None:
    assert read_call(tool, arguments) == ()


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
