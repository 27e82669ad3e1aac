"""Containers that a session starts for its own use: which they are, and what that changes."""

from __future__ import annotations

from typing import Any

import pytest

from sessionlens.examples import Example, asks, bash, says
from sessionlens.graph.events import Ran
from sessionlens.graph.session_graph import SessionGraph

ID = "4be1f0c2d8aa"


def graph_of(*steps: Any) -> SessionGraph:
    session, _ = Example("x", *steps).build()
    return SessionGraph(session)


OWN = [
    # taken away again, thrown away by itself, named for it
    (["docker run -d --name t1 redis", "docker rm -f t1"], {"t1"}),
    (["podman run -d --name t1 redis", "podman rm -f t1"], {"t1"}),
    (["docker run -d --rm --name pg16 postgres:16"], {"pg16"}),
    (["docker run -d --name=scratch-pg postgres:16"], {"scratch-pg"}),
    (["docker container run -d --rm --name pg16 -v $PWD:/work -p 5433:5432 postgres:16"], {"pg16"}),
    (["docker run -d --rm --name pg16 -v /etc/hosts:/etc/hosts:ro postgres:16"], {"pg16"}),
    (["docker run -d --rm redis"], {ID}),
    # it stays
    (["docker run -d --name t1 redis"], set()),
    (["docker run -d --name t1 redis", "docker stop t1"], set()),
    (["docker run -d --name t1 redis:6", "docker rm -f t1", "docker run -d --name t1 redis:7"], set()),
    (["docker run -d --restart always --name scratch-pg postgres:16"], set()),
    # it was there before
    (["docker stop web", "docker run -d --rm --name web web:2"], set()),
    # it reaches into what is not its own
    (["docker run -d --rm --name pg16 -v /var/lib/postgresql:/var/lib/postgresql postgres:16"], set()),
    (["docker run -d --rm --name pg16 -v pgdata:/var/lib/postgresql/data postgres:16"], set()),
    (["docker run -d --rm --name t1 --network host redis"], set()),
    (["docker run -d --rm --name t1 --privileged redis"], set()),
    (["ssh root@web1 docker run -d --rm --name t1 redis"], set()),
    (["docker --context prod run -d --rm --name t1 redis"], set()),
    # the person speaks of it
    (["docker run -d --rm --name billing billing:2"], set()),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "own"), OWN, ids=[" ; ".join(lines) for lines, _ in OWN])
def test_which_are_own(lines: list[str], own: set[str]) -> None:
    """By how it is started, what it holds, and what becomes of it."""
    graph = graph_of(asks("look at billing"), *(bash(line, output=ID) for line in lines), says("Looked."))
    assert set(graph.own_containers) == own


def test_what_is_done_in_one_is_local() -> None:
    """Whatever the person says of the place; on another host, and in another container, it is what the person says."""
    graph = graph_of(
        asks("this is production, look at the database only"),
        bash("docker run -d --rm --name try postgres:16", output=ID),
        bash("docker exec try psql -U postgres -c 'create table t(a int)'", output="CREATE TABLE"),
        bash("docker exec shop psql -U postgres -c 'create table t(a int)'", output="CREATE TABLE"),
        bash(
            "ssh root@db1 docker exec try psql -U postgres -c 'create table t(a int)'", output="CREATE TABLE"
        ),
        says("Looked."),
    )
    changes = [event for event in graph.events if isinstance(event, Ran) and event.change]
    assert [graph.in_own_container(ran) for ran in changes] == [True, True, False, False]
    assert [graph.setting(ran).environment for ran in changes] == [
        "local",
        "local",
        "production",
        "production",
    ]
