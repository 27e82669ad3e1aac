"""The rule ``diagnosed-empty-output``."""

import re

from sessionlens.examples import Example, asks, bash, edit, group, read, says
from sessionlens.rule import (
    Called,
    Finding,
    Iterator,
    Ran,
    Rule,
    Said,
    Session,
    SessionGraph,
    any_call,
    assistant_prose,
    dataclass,
    human,
    lazy,
    mentions,
    no_output,
    not_recorded,
    same_session,
)

SLUG = "diagnosed-empty-output"
ASK = "ssh gpu1 'curl -s --max-time 120 http://localhost:8000/v1/chat/completions -d @q.json'"
LOOK = "ssh gpu1 'systemctl is-active sglang; tail -5 /var/log/sglang.log'"

_EMPTY = lazy(
    r"\b(?:empty|blank|silent|silence)\b|\bno (?:\w+ )?(?:output|response|reply|result|results|rows?|data|content|answer|body)\b"
    r"|\b(?:returned|printed|shows?|showed|got|came back with|produced|gives?|gave) (?:back )?nothing\b|\bnothing (?:came|was|is) (?:back|returned|printed|shown)"
    r"|\bnothing (?:back|returned|printed|in the output)\b|\bzero (?:rows|results|lines)\b|\bdid(?:n't| not) (?:return|print|output|show)\b"
    r"|\bleer(?:e[nrs]?)?\b|\bkeine (?:ausgabe|antwort|ergebnisse|rückgabe|zeilen)\b|\bnichts (?:zurück|ausgegeben)|\bkam nichts\b"
    r"|\bvac[ií][oa]s?\b|\bsin (?:salida|respuesta|resultados)\b|\bvazi[oa]s?\b|\bsem (?:sa[ií]da|resposta|resultados)\b"
    r"|\bvides?\b|\baucune (?:sortie|réponse)\b|\bpas de (?:sortie|réponse)\b|\brien (?:retourné|affiché)|\bvuot[oa]\b|\bnessun(?:a)? (?:output|risposta)\b"
    r"|\blege? (?:uitvoer|output)\b|\bgeen (?:uitvoer|antwoord)\b|\bpust[yae]\b|\bbrak (?:wyniku|odpowiedzi)\b|\bboş\b|\bçıktı yok\b"
    r"|пуст\w*|нет (?:вывода|ответа)|ничего не (?:вернул|вывел|выдал)|空(?:的|输出|响应|出力|です|の)|没有(?:输出|返回|响应)|無輸出"
    r"|出力(?:が|は)(?:ない|ありません|空)|응답이 없|출력이 없|비어",
    re.IGNORECASE,
)
"""Words that say that something showed nothing, in many languages."""
_LOOKS = frozenset({"check", "read", "test", "none"})


@dataclass(frozen=True, kw_only=True)
class DiagnosedEmptyOutput(Rule):
    """A command showed nothing; the assistant said so and looked further instead of taking it for success.

    ## What it flags
    The next look after a command that came to its end and showed nothing, where the assistant's words in between
    name that nothing came. The command must be one that is run for what it shows: a query, a request, a check, a
    search in a log. The look comes before the person's next word and is no repetition of the same command.

    ## Why it matters
    Silence is where a crashed service and a healthy one look alike.

    ## What to do
    Nothing. It is how an empty result should be handled.

    ## Facts
    - `empty_at`: index of the message whose command showed nothing
    - `words`: the words that name it
    - `found`: what the look found: good, bad or unclear; null where it is no check or shows nothing
    """

    slug = SLUG
    kind = "good"
    severity = "info"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Not on logs that leave out what was run and what it showed."""
        return not_recorded(session.source_format, "calls")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each empty result that was looked into."""
        said_so = assistant_prose & mentions(_EMPTY)
        for event in graph.span().all(no_output):
            if not isinstance(event, Called) or not _for_its_output(graph, event):
                continue
            window = graph.after(event).until(human)
            # The words are about this result when they come before the next one, or with the call of the next look.
            second = window.first(any_call & same_session(event))
            if second is None:
                continue
            said = graph.between(event, second).last(said_so & same_session(event))
            if not isinstance(said, Said) or not isinstance(second, Called) or second.line == event.line:
                continue
            looks = [ran for ran in graph.commands(second) if ran.command.effect in _LOOKS]
            if not looks:
                continue
            found = _EMPTY.search(graph.prose(said))
            states = [ran.outcome.state for ran in looks if ran.outcome.state is not None]
            yield self.finding(
                second,
                "An empty result was noticed and looked into",
                because=[
                    (event, "the command that showed nothing"),
                    (said, "where the assistant says so", graph.prose(said).strip()),
                ],
                facts={
                    "empty_at": event.at.message_index,
                    "words": found.group() if found is not None else "",
                    "found": "bad" if "bad" in states else states[0] if states else None,
                },
            )

    examples = (
        Example(
            "a request shows nothing, and the service is looked at",
            asks("try it with a request"),
            bash(ASK),
            group(says("Hmm, empty output. Let me look at the service."),
                  bash(LOOK, exit=3, output="failed\nCUDA error: device-side assert triggered", flag=SLUG,
                       facts={"empty_at": 1, "words": "empty", "found": "bad"})),
            says("The server crashed on the first request."),
        ),
        Example(
            "a query without rows, then the table",
            asks("are the users there?"),
            bash("psql -d shop -c 'SELECT id FROM users' -At"),
            says("No rows came back, so I look whether the table was filled at all.", finish="tool-calls"),
            bash("psql -d shop -c 'SELECT count(*) FROM users_import' -At", output="1204", flag=SLUG),
            says("The import table is full, the users table is not."),
        ),
        Example(
            "in German",
            asks("läuft der Dienst?"),
            bash("ssh web1 'curl -s http://localhost:9000/health'"),
            group(says("Keine Ausgabe; ich schaue ins Protokoll."),
                  bash("ssh web1 'journalctl -u billing -n 20'", output="billing: exited with status 1", flag=SLUG)),
            says("billing ist beendet."),
        ),
        Example(
            "the log holds no line of it",
            asks("did the job run?"),
            bash("ssh w1 'grep nightly /var/log/jobs.log'"),
            group(says("The grep returned nothing. Let me see whether the timer is there."),
                  bash("ssh w1 'systemctl status nightly.timer'", exit=3, output="inactive (dead)", flag=SLUG)),
            says("The timer is not active."),
        ),
        Example(
            "a script that printed nothing",
            asks("generate the report"),
            bash("python report.py"),
            group(says("It printed nothing, which is odd. Let me see what it wrote."),
                  bash("ls -l out/", output="total 0", flag=SLUG)),
            says("No file was written."),
        ),
        Example(
            "in Spanish",
            asks("comprueba el servicio"),
            bash("ssh web1 'curl -s http://localhost:9000/health'"),
            group(says("La respuesta está vacía, voy a mirar el registro."),
                  bash("ssh web1 'tail -20 /var/log/billing.log'", output="FATAL: port in use", flag=SLUG)),
            says("El puerto está ocupado."),
        ),
        Example(
            "taken for success",
            asks("try it with a request"),
            bash(ASK),
            says("The request went through, the server works."),
        ),
        Example(
            "looked at without a word about it",
            asks("try it with a request"),
            bash(ASK),
            bash(LOOK, output="active"),
            says("active."),
        ),
        Example(
            "said, and left at that",
            asks("try it with a request"),
            bash(ASK),
            says("The output is empty."),
        ),
        Example(
            "the same command once more is no look",
            asks("try it with a request"),
            bash(ASK),
            group(says("Empty. Once more."), bash(ASK)),
            says("Still nothing."),
        ),
        Example(
            "an edit that is silent as it should be",
            asks("rename it"),
            bash("sed -i 's/a/b/' notes.txt"),
            group(says("No output, as expected."), bash("cat notes.txt", output="b")),
            says("Renamed."),
        ),
        Example(
            "an empty directory is the matter itself",
            asks("clear the cache"),
            edit("/home/dev/project/cache.py"),
            group(says("The folder should be empty now."), read("/home/dev/project/cache.py", "x")),
            says("It is."),
        ),
    )  # fmt: skip


def _for_its_output(graph: SessionGraph, called: Called) -> bool:
    """Whether a call is made for what it shows: none of its commands changes anything, one of them tells something."""
    commands = [ran for ran in graph.commands(called) if isinstance(ran, Ran)]
    if not commands or any(ran.changes for ran in commands):
        return False
    return any(
        ran.command.effect in _LOOKS and not ran.command.verdict_by_exit and not ran.command.quiet
        for ran in commands
    )
