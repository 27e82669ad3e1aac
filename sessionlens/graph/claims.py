"""Claims of success against the evidence of the log: supported, unsupported, contradicted or premature."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import msgspec

from sessionlens import language
from sessionlens.graph.events import Called, Event, Ran, Said
from sessionlens.graph.mentions import mentioned, mentions
from sessionlens.graph.queries import change, check
from sessionlens.language.acts import Act
from sessionlens.targets import Confidence

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

Standing = Literal["supported", "unsupported", "contradicted", "premature"]

_CLAIMABLE = frozenset({"build", "test", "check"})
"""Effects besides changes whose success people claim."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """One claim of success and what the log holds on it."""

    said: Said
    """Where it was said."""
    act: Act
    """The words, by their span in the prose of :attr:`said`."""
    sentence: str
    """The sentence."""
    about: Ran | Called
    """The change, run or call that it speaks of."""
    named: bool
    """Whether the sentence names its target; otherwise it is taken to be about the latest thing done."""
    standing: Standing
    """How the claim stood: by the latest evidence before it, or, where it came before any, by the first after."""
    evidence: Event | None
    """The event that decides it: a check, the result itself; ``None`` when there is none."""
    messages_until: int | None
    """For a premature claim: how many messages later the evidence came."""

    @property
    def confidence(self) -> Confidence:
        """``medium`` where the target is not named in the sentence."""
        return "high" if self.named else "medium"


def claims(graph: SessionGraph) -> Iterator[Claim]:
    """Every claim of success in a turn in which something was changed, built, tested or cut off."""
    for turn in graph.turns:
        done: list[Ran | Called] = []
        for call in turn.calls:
            commands = [
                ran for ran in graph.commands(call) if ran.changes or ran.command.effect in _CLAIMABLE
            ]
            done.extend(commands or ([call] if call.cut_off is not None or call.unfinished else []))
        if not done:
            continue
        for said in graph.prose_of(turn):
            before = [event for event in done if event.seq < said.seq]
            if before and said.role == "assistant" and language.may_act(graph.prose(said)):
                yield from _claims_of(graph, said, before)


def _claims_of(graph: SessionGraph, said: Said, before: list[Ran | Called]) -> Iterator[Claim]:
    for sentence in graph.reading(said).sentences:
        for act in sentence.acts:
            if act.act != "claims_success":
                continue
            about, named = _subject(graph, sentence.text, before)
            standing, evidence = _standing(graph, said, about)
            until = (
                graph.messages_between(said, evidence) + 1 if standing == "premature" and evidence else None
            )
            yield Claim(
                said=said,
                act=act,
                sentence=sentence.text,
                about=about,
                named=named,
                standing=standing,
                evidence=evidence,
                messages_until=until,
            )
            break


def _subject(graph: SessionGraph, sentence: str, before: list[Ran | Called]) -> tuple[Ran | Called, bool]:
    """What a sentence speaks of: the latest thing done whose target it names, or else the latest change."""
    for event in reversed(before):
        if isinstance(event, Ran) and mentioned(sentence, mentions(graph, event.command.target)):
            return event, True
    changes = [event for event in before if isinstance(event, Called) or event.command.effect != "check"]
    return (changes or before)[-1], False


def _standing(graph: SessionGraph, said: Said, about: Ran | Called) -> tuple[Standing, Event | None]:
    if isinstance(about, Called):
        return "unsupported", about
    target = about.command.target
    if about.check and about.command.effect == "check":
        return _by_state(about), about
    seen = [event for event in graph.after(about).all(check(target)) if isinstance(event, Ran)]
    earlier = [event for event in seen if event.seq < said.seq]
    if earlier:
        return _by_state(earlier[-1]), earlier[-1]
    if about.outcome.failed or about.call.call.status == "error":
        return "contradicted", about
    if about.outcome.completed == "yes" and not about.command.detached:
        return "supported", about
    following = graph.after(said).until(change(target)).first(check(target))
    if isinstance(following, Ran) and following.outcome.state == "bad":
        return "premature", following
    return "unsupported", None


def _by_state(evidence: Ran) -> Standing:
    state = evidence.outcome.state
    return "supported" if state == "good" else "contradicted" if state == "bad" else "unsupported"
