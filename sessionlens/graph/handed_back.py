"""What an agent to whom work was handed says it did not do, and its parent does not pass on.

The report of a sub-agent is the one thing that a parent knows of its work. Where it says that a step was not carried
out or could not be checked, and the parent neither does it itself nor tells, the reader takes the step for done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from sessionlens import language
from sessionlens.cache import lazy
from sessionlens.graph.constraints import sentences, stems
from sessionlens.graph.each_of import speaks_of_all
from sessionlens.graph.events import Called, Turn

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph


class HandedBack(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a sub-agent says it did not do."""

    call: Called
    """The call that handed the work over, or that fetched its report."""
    quote: str
    """The line or sentence of the report."""


_CAMEL = lazy(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_HANDS_OVER = lazy(
    r"(?:task|agent|subagent|new_task|task_output|agent_output|(?:\w{1,30}_)?(?:sub_?)?agent|delegate(?:_\w{1,30})?|handoff(?:_\w{1,30})?)"
)
"""Names of tools, in snake case, that hand work to another agent and give its report."""
_READ = 8_000
"""Characters read of a report."""
_LINE = 300
"""Characters of a line that is taken as one: its second sentence speaks of what the first one names."""
_MOST = 20
"""Lines of a report that are kept."""
_NOT_DONE = lazy(
    r"\bnot\s+(?:been\s+|be\s+)?(?:executed|run|performed|carried\s+out|tested|verified|checked|attempted|confirmed|validated)\b|\bdid\s?n[o'’]t\s+(?:run|execute|test|verify|check|perform|attempt)\b|\bcould\s?n[o'’]t\s+(?:be\s+)?(?:run|execute\w*|test\w*|verif\w+|check\w*|perform\w*|confirm\w*|reach\w*|access\w*|do)\b|\bunable\s+to\s+(?:run|execute|test|verify|check|perform|confirm|reach|access|complete)\b|:\s+(?:was\s+)?skipped\b"
    r"|\bnicht\s+(?:ausgeführt|durchgeführt|getestet|geprüft|überprüft|verifiziert|gelaufen)\b|\bkonnte\w*\s+(?:\w+\s+){0,5}nicht\b|\bpas\s+(?:été\s+)?(?:exécuté\w*|testé\w*|vérifié\w*|lancé\w*)|\bpas\s+pu\b|\bno\s+(?:se\s+)?(?:ejecut\w+|pude|pudo|verifi\w+|prob\w+|comprob\w+)\b|\bnão\s+(?:foi\s+|foram\s+)?(?:executad\w+|testad\w+|verificad\w+|possível|consegui)\b"
    r"|\bnon\s+(?:è\s+stat\w\s+|sono\s+riuscit\w\s+a\s+|ho\s+potuto\s+)?(?:eseguit\w|testat\w|verificat\w|possibile|eseguire|verificare)\b|\bniet\s+(?:uitgevoerd|getest|gecontroleerd|gedraaid)\b|\bnie\s+(?:wykonano|wykonałem|sprawdz\w+|przetestowa\w+|uruchom\w+)\b|(?<!\w)не\s+(?:выполн\w+|провер\w+|запуск\w+|тестир\w+|удалось|вдалося|викон\w+|перевір\w+)"
    r"|\b(?:çalıştırılmadı|çalıştırılamadı|doğrulanmadı|doğrulanamadı|test\s+edilmedi)\b|(?:没有?|未|未能|无法)(?:被)?(?:执行|运行|验证|测试|检查|完成)|(?:実行|確認|検証|テスト)(?:できません|していません|できていません|できず)|(?:실행|확인|검증|테스트)(?:하지\s?(?:못|않)|할\s?수\s?없)",
    re.IGNORECASE,
)
"""Words for something that was not carried out or not looked at."""
_TELLING = frozenset(
    {"reports_failure", "acknowledges_cut_off", "admits_unverified", "hedges", "hands_over", "asks_person"}
)
_CLAIMS = frozenset({"claims_success", "claims_check"})


@lru_cache(maxsize=1024)
def hands_over(tool: str) -> bool:
    """Whether a tool, by its name, hands work to another agent, or fetches the report of one."""
    return _HANDS_OVER.fullmatch(_CAMEL.sub("_", tool).casefold().strip("_")) is not None


def handed_back(graph: SessionGraph, turn: Turn, handed: str) -> Iterator[HandedBack]:
    """What the reports of a turn say was not done, where nothing was done about it since and its end claims success."""
    prose = graph.told_in(turn)
    last = prose[-1] if prose else None
    at = next((at for at in range(len(turn.calls) - 1, -1, -1) if _report(turn.calls[at])), None)
    if at is None or handed or last is None or last.seq < turn.calls[-1].seq:
        return
    if any(_does_something(graph, call) for call in turn.calls[at + 1 :]):
        return
    call = turn.calls[at]
    told = [said for said in prose if said.seq > call.seq]
    text = "\n".join(graph.prose(said) for said in told)
    acts = {act.act for said in told for act in graph.reading(said).acts()}
    of_all = speaks_of_all(text)
    if acts & _TELLING or not (acts & _CLAIMS or of_all) or _NOT_DONE.search(text) is not None:
        return
    about = stems(text)
    found = 0
    for line in _report(call).splitlines():
        for piece in (line,) if len(line) <= _LINE else sentences(line):
            if found < _MOST and _not_done(piece) and (of_all or stems(piece) & about):
                found += 1
                yield HandedBack(call=call, quote=piece.strip())


def _report(called: Called) -> str:
    """What another agent reported; empty where a call did not hand work over, or brought none."""
    call = called.call
    if called.line is not None or call.status == "error" or called.unfinished or call.interrupted:
        return ""
    if call.child is None and not hands_over(call.name):
        return ""
    return call.output.ends()[-_READ:] if call.output is not None else ""


def _not_done(sentence: str) -> bool:
    if _NOT_DONE.search(sentence) is None:
        return False
    # "All is well, no case was not checked" claims a check.
    return any(
        _NOT_DONE.search(one.text) is not None and (not _acts(one) & _CLAIMS or bool(_acts(one) & _TELLING))
        for one in language.read(sentence).sentences
    )


def _acts(sentence: language.Sentence) -> set[str]:
    return {act.act for act in sentence.acts}


def _does_something(graph: SessionGraph, called: Called) -> bool:
    """Whether a later call may have made it good: a command that does or looks at something, or another report."""
    if called.line is None:
        return bool(_report(called))
    return any(ran.command.effect not in ("edit", "read") for ran in graph.commands(called))
