"""The rule ``empty-message-after-timeout``."""

from sessionlens.examples import Example, asks, bash, child, compaction, group, nothing, read, says, tool
from sessionlens.rule import (
    Called,
    CutOff,
    Finding,
    Iterator,
    Reason,
    Rule,
    Session,
    SessionGraph,
    Silence,
    by_environment,
    dataclass,
    in_words,
    lower,
    most_exposed,
    not_recorded,
    weakest,
)

SLUG = "empty-message-after-timeout"
RESTART = "ssh root@10.20.0.7 'systemctl restart billing.service'"

_UNREAD = "a part of the message could not be read, so it may have said something"
_CAUSES = {
    "model_returned_nothing": "the model finished normally and returned nothing",
    "reasoning_only": "the model thought, but wrote nothing that the person sees",
    "generation_incomplete": "the generation did not complete",
    "provider_error": "the provider reported an error",
    "stream_ended_unknown": "the stream ended without a known reason",
    "user_interrupt": "the person interrupted",
    "no_message": "no assistant message follows the call",
    "log_ends": "the log stops right there",
    "not_recorded": "the log does not say why",
}


@dataclass(frozen=True, kw_only=True)
class EmptyMessageAfterTimeout(Rule):
    """A turn ends in an empty assistant message after a call was cut off by a time limit.

    ## What it flags
    A call was ended by the client's time limit, or by a limit inside the command that really ran out, and the
    assistant's last message before the next human message, or the end of the session, has neither visible text nor
    a call. White space and reasoning alone are empty. A turn that simply ends on the cut-off call is flagged at that
    call's message. Calls between the two change nothing, nor do words that only announce them ("Let me look."):
    whatever they showed, the person was not told. Not flagged where a message since then is an answer, or tells of
    the time-out amid the work; nor where the time-out is past: a look at the same thing, or the same command to its
    end, and other calls after that. One step lower where such a look was the last call.

    ## Why it matters
    The person is left with nothing: not that a limit was hit, not whether the command goes on, not what
    state it left behind. Whatever they ask for next is built on a guess.

    ## What to do
    Look at the state the cut-off command left before asking for anything else. For the agent: say that the
    limit was hit, check, or run the command with a longer limit or in the background and poll it.

    ## Facts
    - `cause`: what the log shows of the emptiness: model_returned_nothing, reasoning_only,
      generation_incomplete, provider_error, stream_ended_unknown, user_interrupt, no_message, log_ends,
      not_recorded
    - `cut_off_by`: `client` or `in_command`
    - `limit_ms`: the limit in milliseconds, null where the log does not say
    - `changed`: whether the cut-off command line changes something
    - `environment`: of what the command acts on: the most exposed one of the line
    - `command`: beginning of the command line, or the tool's name
    - `empty_messages`: how many empty messages end the turn
    - `calls_between`: how many calls stand between the cut-off one and those
    - `next_human_index`: index of the human message that follows, null at the end of the session
    """

    slug = SLUG
    severity = "high"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Not on logs that never show a time-out, or leave out content so that any message may look empty."""
        return not_recorded(session.source_format, "empty_messages", "time_outs")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each turn that falls silent."""
        for silence in graph.silences():
            yield self._found(graph, silence)

    def _found(self, graph: SessionGraph, silence: Silence) -> Finding:
        cut = silence.cut
        cut_off = cut.cut_off or CutOff(by="client", limit_ms=None)
        commands = graph.commands(cut)
        changed = any(ran.changes for ran in commands)
        environment = most_exposed(graph.setting(ran).environment for ran in commands)
        severity = by_environment(
            environment,
            production="high" if changed else "medium",
            unknown="medium" if changed else "low",
            other="low",
        )
        unread = any(said.message.partly_read for said in silence.empty)
        if silence.settled is not None:
            severity = lower(severity)
        if unread or silence.cause in ("generation_incomplete", "provider_error", "log_ends"):
            severity = lower(severity)
        human = silence.turn.next_human
        limit = in_words(cut_off.limit_ms)
        because: list[Reason] = [
            (cut, f"cut off after {limit}" if limit else "cut off by a time limit", cut_off.quote)
        ]
        if silence.settled is not None:
            because.append((silence.settled, "looked at since, and nobody was told what it showed"))
        if human is not None:
            because.append((human, "the next thing the person wrote", graph.prose(human)))
        return self.finding(
            silence.at,
            f"Nothing was said after {_named(cut)} was cut off" + (f" at {limit}" if limit else ""),
            note=f"What the log shows: {_UNREAD if unread else _CAUSES[silence.cause]}.",
            because=because,
            kind="signal" if silence.cause == "user_interrupt" else "fault",
            severity=severity,
            confidence=weakest(
                cut_off.confidence,
                "low" if silence.cause == "log_ends" or unread else "high",
                "high" if silence.role_known else "low",
                "low" if any(ran.command.partly_parsed for ran in commands) else "high",
            ),
            facts={
                "cause": silence.cause,
                "cut_off_by": cut_off.by,
                "limit_ms": cut_off.limit_ms,
                "changed": changed,
                "environment": environment,
                "command": (cut.line or cut.call.name)[:200],
                "empty_messages": len(silence.empty),
                "calls_between": silence.calls_between,
                "next_human_index": None if human is None else human.at.message_index,
            },
        )

    examples = (
        Example(
            "a production restart is cut off and the model returns nothing",
            asks("restart billing please"),
            bash(RESTART, limit=15, times_out=True),
            nothing(
                flag=SLUG,
                severity="high",
                confidence="high",
                kind="fault",
                facts={"cause": "model_returned_nothing", "limit_ms": 15000, "changed": True},
            ),
            asks("can we also raise the pool size?"),
            says("Sure, which size?"),
        ),
        Example(
            "a local build is cut off, white space is all that follows",
            asks("build it"),
            bash("cargo build --release", limit=120, times_out=True, output="Compiling serde v1.0"),
            nothing(text=" \n\t", flag=SLUG, severity="low", facts={"changed": False}),
        ),
        Example(
            "reasoning alone is not visible to the person",
            asks("is the queue drained?"),
            bash("ssh ops@queue1 'redis-cli llen jobs'", limit=10, times_out=True),
            nothing(
                reasoning="It timed out. I should tell them.",
                flag=SLUG,
                severity="medium",
                facts={"cause": "reasoning_only"},
            ),
        ),
        Example(
            "the turn ends on the cut-off call and the person writes again",
            asks("roll out the new image"),
            bash(
                "kubectl -n prod rollout status deploy/api",
                limit=60,
                times_out=True,
                flag=SLUG,
                facts={"cause": "no_message", "empty_messages": 0},
            ),
            asks("hello?"),
            says("The rollout status command hit its limit of 60 s; I am checking the pods now."),
        ),
        Example(
            "the log stops on the cut-off call: low confidence and one step milder",
            asks("restart it"),
            bash(
                RESTART,
                limit=15,
                times_out=True,
                flag=SLUG,
                severity="medium",
                confidence="low",
                facts={"cause": "log_ends"},
            ),
        ),
        Example(
            "the request to the model never completed",
            asks("restart it"),
            bash(RESTART, limit=15, times_out=True),
            nothing(
                finish=None,
                tokens_out=0,
                flag=SLUG,
                severity="medium",
                facts={"cause": "generation_incomplete"},
            ),
        ),
        Example(
            "the provider refused the request after the cut-off",
            asks("restart it"),
            bash(RESTART, limit=15, times_out=True),
            nothing(
                finish=None,
                error="APIError overloaded",
                flag=SLUG,
                severity="medium",
                facts={"cause": "provider_error"},
            ),
        ),
        Example(
            "a limit inside the command that really expired",
            asks("check replication"),
            bash("timeout 20 psql -h db1.prod -c 'select pg_is_in_recovery()'", exit=124),
            nothing(flag=SLUG, facts={"cut_off_by": "in_command", "limit_ms": 20000}),
        ),
        Example(
            "exit 124 echoed by the command line itself",
            asks("check replication"),
            bash("timeout 5 nc -vz db1.prod 5432; echo exit=$?", exit=0, output="exit=124"),
            nothing(flag=SLUG, facts={"cut_off_by": "in_command"}),
        ),
        Example(
            "the person interrupted: a signal, no fault",
            asks("restart it"),
            bash(RESTART, limit=15, times_out=True),
            nothing(
                finish=None,
                error="MessageAbortedError Aborted",
                flag=SLUG,
                kind="signal",
                facts={"cause": "user_interrupt"},
            ),
        ),
        Example(
            "the client re-asked after an unknown finish and stored one empty message after another",
            asks("restart it"),
            bash(RESTART, limit=15, times_out=True),
            nothing(finish="unknown"),
            nothing(
                finish="unknown", flag=SLUG, facts={"cause": "stream_ended_unknown", "empty_messages": 2}
            ),
        ),
        Example(
            "inside a child session the parent agent is the reader",
            asks("have the cache restarted"),
            child(
                bash("ssh ops@cache1 'systemctl restart redis'", limit=15, times_out=True),
                nothing(flag=SLUG),
                prompt="restart redis on cache1",
                result="",
            ),
            says("The subagent returned nothing; I cannot confirm that redis restarted."),
        ),
        Example(
            "a later message in the turn has text",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            nothing(),
            says("The restart hit the 15 s limit and may still be running."),
        ),
        Example(
            "a look at the same service stands between, and the last message is empty all the same",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            bash("ssh root@10.20.0.7 'systemctl is-active billing'", output="active"),
            nothing(flag=SLUG, severity="medium", facts={"calls_between": 1}),
        ),
        Example(
            "a call about something else stands between, and the last message is white space",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            bash("ls /home/dev/project", output="README.md"),
            nothing(text=" \n", flag=SLUG, severity="high"),
        ),
        Example(
            "a call stands between, the model only thought, and the person asks on",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            bash("ls /home/dev/project", output="README.md"),
            nothing(
                reasoning="The restart may still be running.",
                flag=SLUG,
                facts={"cause": "reasoning_only", "next_human_index": 4},
            ),
            asks("continue?"),
            says("The restart hit its limit; I look at the service now."),
        ),
        Example(
            "an empty step after the cut-off, then a look and an answer",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            nothing(),
            bash("ssh root@10.20.0.7 'systemctl is-active billing'", output="active"),
            says("The restart hit the 15 s limit; billing is active."),
        ),
        Example(
            "the time-out is told amid the work, and the message after the look is empty",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            group(
                says("The restart was cut off at 15 s; it may still be running."),
                bash("ls /home/dev/project", output="README.md"),
            ),
            nothing(),
        ),
        Example(
            "a look is announced beside its call, and the last message is empty: the time-out was not told",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            group(
                says("Let me look."),
                bash("ssh root@10.20.0.7 'systemctl is-active billing'", output="activating"),
            ),
            nothing(flag=SLUG, severity="medium", facts={"calls_between": 1}),
        ),
        Example(
            "the same in another language, in a message of its own, and the look finds it failed",
            asks("Starte billing neu"),
            bash(RESTART, limit=15, times_out=True),
            says("Ich sehe nach."),
            bash("ssh root@10.20.0.7 'systemctl is-active billing'", output="failed"),
            nothing(flag=SLUG),
        ),
        Example(
            "a look is announced after the cut-off call in the same message, before the next one",
            asks("restart billing"),
            group(
                bash(RESTART, limit=15, times_out=True),
                says("Checking the log."),
                bash("ssh root@10.20.0.7 'journalctl -u billing -n 5'", output=""),
            ),
            nothing(flag=SLUG),
        ),
        Example(
            "what the cut-off left is told where the look is announced",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            group(
                says("The restart did not come back within its limit. Let me look."),
                bash("ssh root@10.20.0.7 'systemctl is-active billing'", output="activating"),
            ),
            nothing(),
        ),
        Example(
            "an announced look, and an answer before the empty message",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            group(
                says("Let me look."),
                bash("ssh root@10.20.0.7 'systemctl is-active billing'", output="active"),
            ),
            says("billing is active again."),
            nothing(),
        ),
        Example(
            "the time-out is past: the same command ran to its end, and the turn went on to something else",
            asks("run the tests, then tidy the folder"),
            bash("pytest -q", limit=60, times_out=True),
            bash("pytest -q", limit=600, output="42 passed in 301.2s"),
            bash("rm -r build", output=""),
            nothing(),
        ),
        Example(
            "an empty message, but nothing was cut off: the word timeout in an output is no cut-off",
            asks("show the proxy settings"),
            bash(
                "grep -n timeout nginx.conf",
                output="12: proxy_read_timeout 60s;\n40: # Command timed out after 30 s",
            ),
            nothing(),
        ),
        Example(
            "a read of a log that quotes a cut-off in its middle",
            asks("what happened last night?"),
            read(
                "agent.log",
                "shell tool terminated command after exceeding timeout 3000 ms\nthen it recovered\nall jobs done",
            ),
            nothing(),
        ),
        Example(
            "the empty message is the person's",
            asks("run the tests"),
            bash("pytest -q", limit=60, times_out=True),
            says("The test run was cut off after 60 s."),
            asks(""),
            says("I run the slow half alone now."),
        ),
        Example(
            "the cut-off and the silence lie in different turns",
            asks("run the tests"),
            bash("pytest -q", limit=60, times_out=True),
            says("The run hit the limit."),
            asks("thanks, just note it"),
            nothing(),
        ),
        Example(
            "an in-command limit that did not expire",
            asks("check it"),
            bash("timeout 20 curl -fsS http://10.0.0.9/health", exit=0, output="ok"),
            nothing(),
        ),
        Example(
            "the summary of a compaction is no silence, and the assistant goes on after it",
            asks("run the import"),
            bash("./import.sh", limit=60, times_out=True),
            compaction("Import was started, cut off at 60 s."),
            says("The import was cut off; I look at how far it came."),
        ),
        Example(
            "text stands after the cut-off call in the same message",
            asks("restart billing"),
            group(
                bash(RESTART, limit=15, times_out=True),
                says("That ran into the limit; it may still be restarting."),
            ),
        ),
        Example(
            "a failed command is not a cut-off one",
            asks("restart billing"),
            bash(RESTART, exit=255, output="ssh: connect to host 10.20.0.7 port 22: Connection timed out"),
            nothing(),
        ),
        Example(
            "a tool that reports an error of its own",
            asks("fetch the status page"),
            tool("webfetch", {"url": "https://status.example.org"}, error="Request failed with status 502"),
            nothing(),
        ),
    )


def _named(cut: Called) -> str:
    if cut.line is None:
        return f"the call of {cut.call.name}"
    first = cut.line.strip().splitlines()[0] if cut.line.strip() else cut.call.name
    return f"`{first[:80]}`" + ("…" if len(first) > 80 else "")
