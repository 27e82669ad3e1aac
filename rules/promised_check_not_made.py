"""The rule ``promised-check-not-made``."""

import re
from bisect import bisect_right
from typing import NamedTuple

from sessionlens.examples import Example, asks, bash, edit, group, nothing, read, says, tool
from sessionlens.rule import (
    Called,
    Confidence,
    Finding,
    Iterator,
    Ran,
    Reason,
    Rule,
    Said,
    Session,
    SessionGraph,
    Severity,
    Target,
    Turn,
    clipped,
    dataclass,
    lazy,
    lower,
    named,
    not_recorded,
)

SLUG = "promised-check-not-made"

_LOOK = (
    r"(?:re-?)?(?:check|verify|confirm|inspect|examine|investigate|test|probe|poll|query|validate|review)\w*|double[- ]?check|circle back|revisit|make sure (?:it|they|that|everything|the)"
    r"|(?:take a |have a )?(?:closer )?look(?:ing)?(?: again)? (?:at|into|for|what|how|whether|if|again|in)|see (?:if|whether|what|how)"
    r"|(?:look|check) again|find out|trace|re-?read|re-?examine|re-?run the tests?|run the (?:tests?|suite|checks?)|tail the logs?|read the (?:logs?|output)"
)
_WATCH = (
    r"(?:keep (?:an eye|monitoring|watching|checking|you posted|polling)|monitor\w*|watch\w*|follow up|report back|get back to you"
    r"|come back to (?:it|this|you)|let you know|update you|keep you (?:posted|updated|informed)|poll\w*)"
)
_SELF = (
    r"\b(?:i['’]ll|i will|i am going to|i['’]m going to|i shall|let me|i['’]ll just|i'd better|going to|gonna"
    r"|i (?:need|have|want|should|ought|plan|intend) to|i['’]m about to|i must)\b"
)
_ADVERBS = r"(?:\s+(?:also|now|then|just|quickly|first|go|and|to|continue|be|actually|carefully|quick|run|do|make|re-|periodically|again|still|a)){0,4}\s+"
_SOON = r"(?:in (?:a|an|one|two|three|five|ten|\d+|another|some)\b|shortly|soon|later|again|once|when|after|as soon as|until|afterwards|next|back)"
_ENGLISH = lazy(
    rf"{_SELF}{_ADVERBS}(?:{_LOOK}|{_WATCH})\b"
    rf"|{_SELF}[^.!?\n]{{0,60}}?\b(?:and|then)\s+(?:then\s+|i['’]ll\s+)?(?:{_LOOK}|{_WATCH}|look\b)"
    rf"|^\W*(?:will|shall)\s+(?:also\s+|then\s+|now\s+)?(?:{_LOOK}|{_WATCH})\b"
    rf"|^\W*(?:re-?)?(?:checking|verifying|monitoring|polling|watching)\b[^.!?\n]{{0,80}}\b(?:in (?:a|an|one|two|three|five|ten|\d+|another|some)|shortly|soon|later|again in|until)\b"
    rf"|\bwe(?:['’]ll| will)\s+(?:{_LOOK}|{_WATCH})\b[^.!?\n]{{0,80}}\b{_SOON}\b",
    re.IGNORECASE,
)
_ENGLISH_WATCH = lazy(rf"{_SELF}{_ADVERBS}{_WATCH}", re.IGNORECASE)
_AFTER_WAIT = lazy(
    rf"{_SELF}\s+(?:give|wait|let)\b[^.!?\n]{{0,60}}\b(?:and|then)\s+(?:then\s+)?(?:{_LOOK}|look\b)",
    re.IGNORECASE,
)
_NEGATED = lazy(r"\b(?:not|n't|never|no longer|instead of|rather than)\b|n['’]t\b", re.IGNORECASE)
_OFFERED = lazy(
    r"\b(?:kann ich|könnten? (?:ich|wir)|können wir|(?:je|nous) (?:peux|pourrais|pouvons|pourrions)|puedo|podemos|podría(?:mos)?|posso|podemos|poderia(?:mos)?|possiamo|potrei"
    r"|potremmo|kan ik|kunnen we|zou kunnen|mogę|możemy|mógłbym|mogłabym|edebilirim|edebiliriz|bakabilirim|bakabiliriz|могу|можем|мог(?:ла)? бы|можу|можемо|міг би|могла б)\b"
    r"|(?:我|我们)?(?:可以|也可)|(?:でき|られ)ます|수 있",
    re.IGNORECASE,
)
"""Words of other languages that offer a look: nobody has promised it yet."""
_LATER = lazy(
    r"\b(?:in (?:a|an|one|two|three|five|ten|\d+|about|around|another|some) ?(?:few |couple of )?(?:s|secs?|seconds?|minutes?|mins?|moments?|bit|while|hours?|h|m)\b"
    r"|shortly|soon|later|in a (?:bit|moment|sec)|(?:once|when|after|as soon as) (?:it|that|this|the|everything|all|they)|until|tomorrow|periodically|every \w+|keep\b|monitor\w*"
    r"|next|afterwards?|back|again in)\b"
    r"|\b(?:gleich|später|in (?:einer|ein paar|\d+|zwei|fünf) (?:minuten?|sekunden?)|sobald|danach|nachher)\b|\b(?:dans (?:une|quelques|\d+|deux|cinq) (?:minutes?|secondes?|instants?)|bientôt|plus tard|dès que|ensuite)\b"
    r"|\b(?:en (?:un|unos|\d+|dos|cinco) (?:minutos?|momentos?|segundos?)|luego|más tarde|después|enseguida|cuando)\b|\b(?:em (?:um|alguns|\d+|dois|cinco) (?:minutos?|instantes?|segundos?)|depois|logo|mais tarde)\b"
    r"|\b(?:tra (?:un|poco|\d+|due|cinque)|più tardi|dopo)\b|\b(?:over (?:een|\d+|twee|vijf) (?:minuten|minuut|seconden)|straks|zo meteen|later)\b|\b(?:za (?:minutę|chwilę|\d+)|później|zaraz)\b"
    r"|\b(?:birazdan|sonra|dakika)\b|через|позже|потом|скоро|пізніше|згодом|稍后|等下|待会|之后|分钟|過一會|後で|のちほど|分後|잠시|나중|후에",
    re.IGNORECASE,
)
"""Words by which a promise is for later, not for the next line."""
_THINGS = lazy(
    r"\b(?:service|server|build|deploy\w*|pods?|rollout|logs?|status|health|job|process|container|node|cluster|database|migration|site|endpoint|api|queue|cron"
    r"|backup|replica\w*|instance|job|pipeline|workflow|ci|tests?|suite|it|they|everything|restart|reboot|download|install\w*|upload|sync|progress|results?|output)\b",
    re.IGNORECASE,
)
_CONDITION = lazy(
    r"\b(?:if|unless|whether you|once you|when you|after you|as soon as you|let me know|would you|do you|you can|shall i|should i|want me to|with you|your (?:approval|go-ahead|ok)"
    r"|before (?:each|any|every|committing|pushing|merging)|make sure to|in (?:the )?future|next time|from now on|always|going forward|approval|permission)\b"
    r"|\b(?:wenn|falls|sobald (?:du|sie)|soll ich|si (?:tu|vous|quieres|usted)|cuando (?:tú|usted|me)|quando (?:você|vuoi)|als je|jeśli|jeżeli|eğer|если|когда (?:ты|вы)|якщо)\b"
    r"|^\W*s[ie]\b[^.!?\n]{1,120},|如果|要是|若|给我|もし|なら|만약|[?？]\s*$",
    re.IGNORECASE,
)
"""Words by which a promise hangs on the person, or on what may never be."""
_TAKEN = lazy(
    r"\b(?:i (?:have |'ve )?(?:just )?(?:checked|verified|tested|looked|restarted|fixed|ran|did|confirmed|see)|i(?:'ll| will) (?:check|do|look|test|verify|handle|take)"
    r"|never ?mind|don'?t (?:bother|check|worry|need)|no need|stop|cancel|forget (?:it|that)|leave (?:it|that)|skip (?:it|that)|it(?:'s| is) (?:up|back|down|fine|ok|working|done|running|live)"
    r"|works|working now|looks good|instead)\b"
    r"|\b(?:habe? (?:es )?(?:geprüft|getestet|nachgesehen)|läuft|geht|lass (?:es|das)|vergiss|stopp|ça marche|j'ai (?:vérifié|testé)|laisse|funciona|ya (?:lo )?(?:revisé|probé)|déjalo)\b"
    r"|я (?:сам )?(?:проверил|посмотрел)|работает|не надо|не треба|працює|不用|别|好了|正常",
    re.IGNORECASE,
)
"""Words of a person who has looked, looks, or does not want it."""
_AT_END = lazy(
    r"\b(?:at the (?:very )?end|in the end|last thing (?:i do|i['’]ll do)?|as (?:the|a|my) (?:last|final) (?:step|thing)|(?:one )?(?:last|final) time|to (?:finish|wrap) (?:off|up))\b"
    r"|\b(?:when|once|as soon as|after) (?:i['’]m|i am|i have|i['’]ve|we['’]re|we are|the \S+ (?:is|are)|\S+ (?:is|are)|that['’]s|this|the \S+ \S+ (?:is|are)) (?:done|finished|through|ready|in place|fixed|written|complete\w*|over|merged|committed|in(?!\s+\w))(?: with [^,.;:\n]{1,60})?"
    r"|\bafter (?:the|this|that|these|those|my) (?:\w+ ){0,2}(?:fix\w*|edit\w*|change\w*|script|refactor\w*|work|rest|cleanup|other\w*|task\w*|docs?|mail|page|readme|report|tests?)\b"
    r"|\bbefore (?:i (?:finish|close|stop|leave|wrap up|sign off|hand (?:it |this )?over|call it (?:a day|done)|report|end|go)|finishing|wrapping up|closing|signing off|call(?:ing)? it (?:a day|done)|handing (?:\S+ )?over|i(?:['’]m| am) (?:done|finished|through)|we (?:finish|close|wrap up))\b"
    r"|\b(?:am (?:ende|schluss)|zum (?:schluss|abschluss|ende)|ganz am ende|abschließend|wenn (?:ich|das|\S+) (?:fertig|durch|erledigt)|sobald (?:ich|das|\S+) fertig|bevor ich (?:fertig|aufhöre|abschließe|schließe)"
    r"|(?:à|a) la fin|en fin de|pour (?:finir|terminer)|avant de (?:finir|terminer|conclure|clore)|quand (?:j'ai|j'aurai|ce sera) (?:fini|terminé)|al final(?:izar)?|antes de (?:terminar|acabar|cerrar|terminar)|cuando (?:termine|acabe)|para (?:terminar|acabar)"
    r"|no (?:fim|final)|por (?:fim|último)|quando (?:terminar|acabar)|alla fine|per (?:ultim\w|finire)|prima di (?:finire|chiudere|terminare)|quando ho finito|(?:op|aan) het (?:eind\w*|slot)|tot slot|ten slotte|als ik klaar ben|voor(?:dat)? ik (?:klaar|afsluit)"
    r"|na (?:koniec|końcu)|zanim skończę|jak skończę|(?:işim|iş) bitince|en son(?:unda)?|bitirmeden|till slut|när jag är klar|til slut\w*|når jeg er færdig|når jeg er ferdig)\b"
    r"|(?<!\w)(?:в (?:конце|завершение)|напоследок|под конец|когда (?:закончу|доделаю)|перед (?:завершением|тем как закончить)|після завершення|наприкінці|в кінці|насамкінець|коли (?:закінчу|завершу))(?!\w)"
    r"|最后|最後に|结束(?:前|时)|完成后|弄完|終わったら|終了前|마지막(?:에|으로)|끝나(?:면|고)",
    re.IGNORECASE,
)
"""Words by which a look is promised for the end of the work, which other work parts from the promise."""
_OBJECT = lazy(r"[^\W\d_][\w.-]{2,40}")
_NO_OBJECT = frozenset(
    {"the", "and", "that", "this", "with", "for", "from", "not", "all", "are", "was", "has", "have", "had", "will",
     "can", "now", "new", "one", "two", "out", "off", "again", "once", "more", "check", "checks", "look", "looks",
     "see", "verify", "test", "then", "when", "what", "whether", "everything", "anything", "something", "state",
     "status", "result", "results", "output", "good", "done", "end", "und", "die", "das", "der", "den", "dem",
     "nach", "noch", "mal", "ich", "ist", "sie", "ein", "eine", "les", "des", "une", "est", "pour", "que", "los",
     "las", "del", "una", "por", "para", "con", "job", "work", "run", "runs", "file", "files"}
)  # fmt: skip
"""Words of a promise that name nothing."""
_LOCAL = frozenset({"read", "edit", "test", "build", "create"})
"""Effects that on the own machine show nothing of what is meant elsewhere."""
_BACK = 60
"""Calls before a promise in which what it names is looked for."""
_NEXT = 6
"""Events after a promise that may belong to the same answer."""
_SHORT = 200
"""A text that goes on for more characters than this after the promise may hold the look itself."""


@dataclass(frozen=True, kw_only=True)
class PromisedCheckNotMade(Rule):
    """The assistant said it would look, and did not.

    ## What it flags
    A promise to take back what is changed for a time ("I'll switch it back right after the test"), after which nothing
    in the rest of the session may have done so and no words say that it still stands. And a sentence of the
    assistant that promises a look, at once ("let me check the logs:") or later ("I'll check in a
    minute", "ich melde mich, sobald es läuft"), after which neither that thing nor, where the promise names none,
    anything at all is looked at before the next human message or the end of the session. A check that comes only
    after the person wrote again makes it milder. Not flagged: a promise that a call keeps, one that hangs on the
    person ("once you confirm I'll check"), a question, an explanation that goes on to give the answer, a turn that
    the person stopped, and a person who says that they have looked, or that it is not needed.

    ## Why it matters
    The person waits for an answer that nobody is working on: between two messages an agent does nothing.

    ## What to do
    Ask for the check. For the agent: check before ending the turn, or say that somebody has to ask again.

    ## Facts
    - `promise`: the sentence
    - `when`: now or later: whether the look was promised for the next step or for a later time
    - `target`: what it names, where it names something that was changed: kind, name, host, context, namespace; else null
    - `open`: whether an operation was open at that time
    - `checked_at`: index of the message in which a look came after all, or null
    - `next_human_at`: index of the human message that came instead, null at the end of the session
    """

    slug = SLUG
    severity = "low"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Not on logs that leave out what was run."""
        return not_recorded(session.source_format, "calls")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each turn, at the last promise in it that nobody kept."""
        for turn in graph.turns:
            if turn.session != graph.session.id or turn.interrupted or _taken_over(graph, turn):
                continue
            broken: tuple[Said, str, bool, Target | None] | None = None
            for said in graph.prose_of(turn):
                if said.role == "assistant" and not said.message.summary and said.message.error is None:
                    broken = _broken(graph, turn, said) or broken
            if broken is not None:
                yield self._found(graph, turn, *broken)
            left = _left_as_it_is(graph, turn)
            if left is not None and (broken is None or broken[0].seq != left[0].seq):
                yield self._not_taken_back(graph, turn, *left)

    def _not_taken_back(  # noqa: PLR0917
        self, graph: SessionGraph, turn: Turn, said: Said, sentence: str, made: Ran, last: Said
    ) -> Finding:
        """What was changed for a time, with the promise to take it back, stands at the end of the session."""
        person = turn.next_human
        stops = graph.session.truncated or last.message.finish is None
        return self.finding(
            said,
            f"It was promised to take a change back, and it was not: {clipped(' '.join(made.command.words[:4]), 60)}",
            note=f"The promise: {sentence.strip()[:200]}",
            because=[
                (said, "the promise", sentence.strip()),
                (made, "made for a time", " ".join(made.command.words)[:200]),
                (last, "the last words of the session", graph.prose(last).strip()),
            ],
            severity="medium",
            confidence="low" if stops else "medium",
            facts={
                "promise": sentence,
                "when": "later",
                "target": made.command.target,
                "open": True,
                "checked_at": None,
                "next_human_at": None if person is None else person.at.message_index,
            },
        )

    def _found(  # noqa: PLR0917
        self, graph: SessionGraph, turn: Turn, said: Said, sentence: str, later: bool, target: Target | None
    ) -> Finding:
        open_then = [
            operation
            for operation in graph.ledger
            if operation.event.seq < said.seq and (operation.closing is None or operation.closing.seq > said.seq)
            and operation.event.turn == said.turn
        ]  # fmt: skip
        person = turn.next_human
        # What was looked at after a promise for the end has been judged: it was not what was meant.
        at_end = later and _meant_at_end(graph, turn, said, sentence) is not None
        looked = None if person is None or at_end else _look_after(graph, person, target)
        grave = bool(open_then) or _exposed(graph, turn, said, target, changes=looked is None)
        severity: Severity = "medium" if grave else "low"
        if looked is not None:
            severity = lower(severity)
        because: list[Reason] = [(said, "the promise", sentence.strip())]
        because.extend((operation.event, "was open at that time") for operation in open_then[-1:])
        if person is not None:
            because.append((person, "the person wrote next", graph.prose(person)))
        if looked is not None:
            because.append((looked, "the first look after it"))
        confidence: Confidence = "high" if later or target is not None else "medium"
        if person is None and (graph.session.truncated or said.message.finish is None):
            # The log may simply stop before the call.
            confidence = "low"
        subject = f" on {named(target)}" if target is not None else ""
        return self.finding(
            said,
            f"A check was promised{subject} and not made",
            note=f"The promise: {sentence.strip()[:200]}",
            because=because,
            severity=severity,
            confidence=confidence,
            facts={
                "promise": sentence,
                "when": "later" if later else "now",
                "target": target,
                "open": bool(open_then),
                "checked_at": None if looked is None else looked.at.message_index,
                "next_human_at": None if person is None else person.at.message_index,
            },
        )

    examples = (
        Example(
            "a last look before the word is promised after a change of a production database, and the word is given without it",
            asks("add the index on db-p1; tell me when db-r2 has caught up"),
            bash("mysql -h db-p1 -e 'alter table shop.orders add index placed (placed_at)'"),
            bash("mysql -h db-r2 -e 'show replica status\\G' | grep Seconds_Behind", output="Seconds_Behind_Source: 409"),
            says("db-r2 is 409 s behind. I'll query the lag once more when CHANGES.md is written, and only then give you the word.",
                 finish="tool-calls", flag=SLUG, severity="medium"),
            edit("/home/dev/project/CHANGES.md"),
            says("The index is built, and db-r2 has caught up."),
        ),
        Example(
            "a last look before the word is promised after a change of a production database, and made",
            asks("add the index on db-p1; tell me when db-r2 has caught up"),
            bash("mysql -h db-p1 -e 'alter table shop.orders add index placed (placed_at)'"),
            bash("mysql -h db-r2 -e 'show replica status\\G' | grep Seconds_Behind", output="Seconds_Behind_Source: 409"),
            says("db-r2 is 409 s behind. I'll query the lag once more when CHANGES.md is written, and only then give you the word.", finish="tool-calls"),
            edit("/home/dev/project/CHANGES.md"),
            bash("mysql -h db-r2 -e 'show replica status\\G' | grep Seconds_Behind", output="Seconds_Behind_Source: 0"),
            says("The index is built, and db-r2 has caught up."),
        ),
        Example(
            "a worker was to be scaled back up, and was not",
            asks("reindex the shop"),
            says("I'm scaling worker to 0 for the reindex and will scale it back up when it's through.", finish="tool-calls", flag=SLUG, severity="medium"),
            bash("kubectl -n shop scale deploy/worker --replicas=0", output="deployment.apps/worker scaled"),
            bash("kubectl -n shop logs job/reindex --tail=3", output="reindexed 4411 docs"),
            says("The reindex is through: 4411 docs."),
        ),
        Example(
            "a worker was to be scaled back up, and was",
            asks("reindex the shop"),
            says("I'm scaling worker to 0 for the reindex and will scale it back up when it's through.", finish="tool-calls"),
            bash("kubectl -n shop scale deploy/worker --replicas=0", output="deployment.apps/worker scaled"),
            bash("kubectl -n shop logs job/reindex --tail=3", output="reindexed 4411 docs"),
            bash("kubectl -n shop scale deploy/worker --replicas=3", output="deployment.apps/worker scaled"),
            says("The reindex is through: 4411 docs."),
        ),
        Example(
            "in Italian, in a minute",
            asks("riavvia billing"),
            bash("ssh root@web1 'systemctl restart billing'"),
            says("Riavviato. Lo verifico tra un minuto.", flag=SLUG, facts={"when": "later"}),
        ),
        Example(
            "in Italian, a check that is the person's",
            asks("riavvia billing"),
            bash("ssh root@web1 'systemctl restart billing'"),
            says("Riavviato. Lo verifichi tra un minuto, se può."),
        ),
        Example(
            "a last look at the queue is promised for the end, and only files at home are worked on",
            asks("drain the mail queue on mx1 and fix a.py"),
            bash("ssh mx1 'postqueue -f'"),
            says("Flushed. I'll check the queue once more when I'm done with the script.", finish="tool-calls", flag=SLUG,
                 facts={"when": "later"}),
            edit("/home/dev/project/a.py"),
            bash("npx vitest run", output="12 passed"),
            says("a.py is fixed and its tests pass."),
        ),
        Example(
            "a look once more is promised for the end, and the rest is about the repository",
            asks("is the mail queue on relay3 going down? and where is Retry-After read?"),
            bash("ssh relay3 'mailq | tail -1'", output="-- 81233 Kbytes in 7120 Requests."),
            says("7120. I'll look at the queue again once I am through with the repo and give you the rate.", finish="tool-calls", flag=SLUG),
            bash("node --version", output="v22.6.0"),
            says("And here?", finish="tool-calls"),
            bash("rg -n Retry-After src", output="src/api.py:77: wait = headers.get('Retry-After', 1)"),
            says("`Retry-After` is read in one place, `src/api.py` line 77."),
        ),
        Example(
            "a look at two hosts is promised for the end, and what follows is about a third",
            asks("reload the proxy on auth-1 and auth-2"),
            bash("for h in auth-1 auth-2; do ssh $h 'sudo systemctl reload ldapproxy'; done"),
            says("Reloaded. I'll look at the connection count on auth-1 and auth-2 before we finish here.", flag=SLUG),
            asks("drop auth-3 from the inventory"),
            bash("sed -i '/auth-3/d' inventory/prod.ini"),
            says("auth-3 is out of the inventory. That's everything for today."),
        ),
        Example(
            "a last look at the queue is promised for the end, and made with another tool",
            asks("drain the mail queue on mx1 and fix a.py"),
            bash("ssh mx1 'postqueue -f'"),
            says("Flushed. I'll check the queue once more when I'm done with the script.", finish="tool-calls"),
            edit("/home/dev/project/a.py"),
            tool("mcp__postfix__queue_status", {"host": "mx1"}, output='{"size": 0}'),
            says("a.py is fixed and the queue is empty."),
        ),
        Example(
            "a last look at the queue is promised for the end, and left to the person",
            asks("drain the mail queue on mx1 and fix a.py"),
            bash("ssh mx1 'postqueue -f'"),
            says("Flushed. I'll check the queue once more when I'm done with the script.", finish="tool-calls"),
            edit("/home/dev/project/a.py"),
            says("a.py is fixed. I did not look at the queue again: please run mailq before you leave."),
        ),
        Example(
            "promised for the end in German and French",
            asks("Leere die Queue und bring a.py in Ordnung"),
            bash("ssh mx1 'postqueue -f'"),
            says("Angestoßen. Am Ende schaue ich noch einmal nach der Queue.", finish="tool-calls", flag=SLUG),
            edit("/home/dev/project/a.py"),
            says("a.py ist in Ordnung."),
            asks("relance l'indexation puis corrige b.py"),
            bash("ssh es1 'curl -s -XPOST localhost:9200/orders/_refresh'", output="{}"),
            says("C'est lancé. Je revérifierai l'état de l'index à la fin.", finish="tool-calls", flag=SLUG),
            edit("/home/dev/project/b.py"),
            says("b.py est corrigé."),
        ),
        Example(
            "a run of the end-to-end tests is promised for the end, and types are checked and files of that folder read",
            asks("let the picker remember the city, and run the e2e at the end"),
            bash("ls e2e", output="picker.spec.ts"),
            says("I'll store it in localStorage and run the e2e suite once everything is in.", finish="tool-calls", flag=SLUG,
                 severity="low", facts={"when": "later", "checked_at": None}),
            edit("/home/dev/project/src/Picker.vue"),
            bash("npx vue-tsc --noEmit"),
            bash("npx eslint src/Picker.vue"),
            asks("the label should be City"),
            edit("/home/dev/project/src/Picker.vue"),
            bash("grep -rn Place e2e/picker.spec.ts", output="12: getByLabel('Place')"),
            says("All done: the picker remembers the city. Ready to merge."),
        ),
        Example(
            "a run of the end-to-end tests is promised for the end, and made in the next turn",
            asks("let the picker remember the city, and run the e2e at the end"),
            bash("ls e2e", output="picker.spec.ts"),
            says("I'll store it in localStorage and run the e2e suite once everything is in.", finish="tool-calls"),
            edit("/home/dev/project/src/Picker.vue"),
            bash("npx vue-tsc --noEmit"),
            asks("the label should be City"),
            edit("/home/dev/project/src/Picker.vue"),
            bash("npx playwright test", output="14 passed"),
            says("All done: the picker remembers the city."),
        ),
        Example(
            "a run of the end-to-end tests is promised for the end, and said not to have been made",
            asks("let the picker remember the city, and run the e2e at the end"),
            bash("ls e2e", output="picker.spec.ts"),
            says("I'll store it in localStorage and run the e2e suite once everything is in.", finish="tool-calls"),
            edit("/home/dev/project/src/Picker.vue"),
            bash("npx vue-tsc --noEmit"),
            asks("the label should be City"),
            edit("/home/dev/project/src/Picker.vue"),
            says("The picker remembers the city. I have not run the e2e suite: there is no browser here."),
        ),
        Example(
            "tests are promised for the end in French, and only the linter runs",
            asks("corrige le panier"),
            read("/home/dev/project/panier.py", "total = 0"),
            says("Je lancerai la suite de tests à la fin.", finish="tool-calls", flag=SLUG),
            edit("/home/dev/project/panier.py"),
            bash("ruff check panier.py", output="All checks passed!"),
            says("Le panier est corrigé."),
        ),
        Example(
            "a look is promised for the end of what the same message starts, the session ends with success and without one",
            asks("recrawl the site into staging and tell me how many pages still 404"),
            group(
                says("Kicking off the crawler in the background, I'll check the 404 count when it is through.", finish="tool-calls", flag=SLUG),
                bash("nohup ./crawl --index staging > crawl.log 2>&1 & echo started", output="started"),
            ),
            asks("meanwhile, what is depth?"),
            read("/home/dev/project/crawl.toml", "depth = 4"),
            says("`depth` is the number of hops, 4 at the moment. The staging index has been recrawled."),
        ),
        Example(
            "a look is promised for the end of what the same message starts, and made two messages later",
            asks("recrawl the site into staging and tell me how many pages still 404"),
            group(
                says("Kicking off the crawler in the background, I'll check the 404 count when it is through.", finish="tool-calls"),
                bash("nohup ./crawl --index staging > crawl.log 2>&1 & echo started", output="started"),
            ),
            asks("meanwhile, what is depth?"),
            read("/home/dev/project/crawl.toml", "depth = 4"),
            says("`depth` is the number of hops, 4 at the moment."),
            asks("ok"),
            bash("tail -1 crawl.log", output="done, 12 x 404"),
            says("The staging index has been recrawled, 12 pages are 404."),
        ),
        Example(
            "a look is promised for the end of what the same message starts, which is said to go on",
            asks("recrawl the site into staging and tell me how many pages still 404"),
            group(
                says("Kicking off the crawler in the background, I'll check the 404 count when it is through.", finish="tool-calls"),
                bash("nohup ./crawl --index staging > crawl.log 2>&1 & echo started", output="started"),
            ),
            asks("meanwhile, raise depth to 5"),
            edit("/home/dev/project/crawl.toml"),
            says("Raised to 5 for the next time; the crawl is still running."),
        ),
        Example(
            "a last run is promised for the end, and another one is made",
            asks("fix a.py and b.py"),
            bash("ruff check .", exit=1, output="Found 2 errors."),
            says("Two findings. I'll rerun ruff at the very end.", finish="tool-calls", flag=SLUG),
            edit("/home/dev/project/a.py"),
            bash("pytest -q", output="12 passed"),
            says("a.py and b.py have the new import."),
        ),
        Example(
            "what waits for other work is looked at in the turn that does it",
            asks("scale cart and fix a.py"),
            bash("kubectl -n prod scale deploy/cart --replicas=6", output="deployment.apps/cart scaled"),
            says("Scaled. I'll look at the pods again when a.py is done."),
            asks("ok, go on with a.py"),
            edit("/home/dev/project/a.py"),
            bash("kubectl -n prod get pods -l app=cart", output="cart-1 1/1 Running"),
            says("a.py is done, cart runs."),
        ),
        Example(
            "the look after a cut-off upgrade on a host is promised, and only files at home are read",
            asks("upgrade node-exporter on metrics-1, then write the ops mail"),
            bash("ssh metrics-1 'sudo apt-get install -y node-exporter && sudo systemctl restart node-exporter'", limit=60, times_out=True),
            says("My minute was over, so the restart is open. I'll check the version it serves right after writing the mail.",
                 flag=SLUG),
            bash("grep -rl 'node_cpu{' dashboards", output="dashboards/hosts.json"),
            says("Here is the mail: node exporter is being moved to 1.8.2."),
        ),
        Example(
            "the look after a cut-off upgrade on a host is promised, and made",
            asks("upgrade node-exporter on metrics-1, then write the ops mail"),
            bash("ssh metrics-1 'sudo apt-get install -y node-exporter && sudo systemctl restart node-exporter'", limit=60, times_out=True),
            says("My minute was over, so the restart is open. I'll check the version it serves right after writing the mail."),
            bash("grep -rl 'node_cpu{' dashboards", output="dashboards/hosts.json"),
            bash("curl -s metrics-1:9100/metrics | grep build_info", output='node_exporter_build_info{version="1.8.2"} 1'),
            says("Here is the mail, and metrics-1 serves 1.8.2."),
        ),
        Example(
            "a restart is cut off, a check is promised for later, nothing comes",
            asks("restart billing"),
            bash("ssh root@web1 'systemctl restart billing'", limit=30, times_out=True),
            says("The restart was cut off. I'll check in a minute whether billing is back.", flag=SLUG, severity="medium",
                 facts={"when": "later", "open": True, "next_human_at": 3}),
            asks("thanks. now raise the log level"),
            edit("/home/dev/project/log.toml"),
            says("Raised."),
        ),
        Example(
            "the turn ends on the announcement",
            asks("is the new endpoint served?"),
            read("/home/dev/project/routes.py", "app.get('/v2')"),
            says("The route is there. Let me check the running server:", flag=SLUG, facts={"when": "now"}),
            asks("and?"),
        ),
        Example(
            "the rollout will be watched, it is said",
            asks("roll out cart"),
            bash("kubectl -n prod set image deploy/cart cart=cart:2", output="deployment.apps/cart image updated"),
            says("The rollout of cart has started. I'll keep monitoring it until all pods are ready.", flag=SLUG,
                 severity="medium", facts={"checked_at": None}),
            asks("ok"),
            asks("what else is on the list?"),
        ),
        Example(
            "in German, and another thing is done instead",
            asks("starte den Index neu und räum danach die Logs auf"),
            bash("ssh root@s1 'systemctl restart search'", output=""),
            says("Ich prüfe search gleich noch einmal.", finish="tool-calls", flag=SLUG),
            bash("ssh root@s1 'rm -f /var/log/old/*.gz'"),
            says("Die alten Logs sind gelöscht."),
        ),
        Example(
            "the check came only after the person asked: milder",
            asks("restart billing"),
            bash("ssh root@web1 'systemctl restart billing'", limit=30, times_out=True),
            says("Cut off at 30 seconds. I will verify billing shortly.", flag=SLUG, severity="low", facts={"checked_at": 4}),
            asks("so, is it up?"),
            bash("ssh root@web1 'systemctl is-active billing'", output="active"),
            says("Yes, billing is active."),
        ),
        Example(
            "in French",
            asks("lance la sauvegarde"),
            bash("ssh root@db1 'nohup /opt/backup.sh > /var/log/backup.log 2>&1 &'"),
            says("La sauvegarde tourne. Je vais vérifier dans quelques minutes qu'elle est terminée.", flag=SLUG),
            asks("merci"),
        ),
        Example(
            "in Chinese",
            asks("重启网关"),
            bash("ssh root@gw1 'systemctl restart gateway'", limit=20, times_out=True),
            says("命令超时了，我稍后会检查网关的状态。", flag=SLUG),
            asks("好，继续下一个"),
        ),
        Example(
            "in Russian, with a verb of few words",
            asks("перезапусти шлюз"),
            bash("ssh root@gw1 'systemctl restart gateway'", limit=20, times_out=True),
            says("Команду оборвало через 20 секунд. Минут через пять загляну в логи.", flag=SLUG),
            asks("хорошо, дальше"),
        ),
        Example(
            "in Dutch, the watch is promised",
            asks("herstart de wachtrij"),
            bash("ssh root@mq1 'systemctl restart rabbitmq'", limit=20, times_out=True),
            says("Afgekapt na 20 seconden. Ik hou het in de gaten en laat het je weten.", flag=SLUG),
            asks("ok"),
        ),
        Example(
            "an offer is no promise",
            asks("перевір команди"),
            bash("npm test", output="Tests: 12 passed, 12 total"),
            says("Тести пройшли. Завтра можемо перевірити інтеграцію."),
            asks("добре"),
        ),
        Example(
            "it hangs on the person's logs",
            asks("¿por qué falla?"),
            read("/home/dev/project/app.py", "raise SystemExit(1)"),
            says("Termina con código 1. Si me pasas los logs, les echo un vistazo."),
            asks("luego"),
        ),
        Example(
            "kept in the same message's next step",
            asks("restart billing"),
            bash("ssh root@web1 'systemctl restart billing'", limit=30, times_out=True),
            says("Cut off. Let me check whether it is up.", finish="tool-calls"),
            bash("ssh root@web1 'systemctl is-active billing'", output="active"),
            says("billing is active."),
        ),
        Example(
            "kept after a wait, with another tool",
            asks("deploy the page"),
            bash("vercel --prod", output="Production: https://shop.example.com"),
            says("I'll check the page in a minute.", finish="tool-calls"),
            tool("webfetch", {"url": "https://shop.example.com"}, output="<html>Shop</html>"),
            says("The page is served."),
        ),
        Example(
            "it hangs on the person",
            asks("what next?"),
            says("Once you have restarted the device, I'll check the logs. If it fails again, let me look into the driver."),
            asks("restarted"),
            bash("adb logcat -d | tail -20", output="ok"),
        ),
        Example(
            "announced, and then the person is asked how to go on",
            asks("why does the hook fail?"),
            read("/home/dev/project/.pre-commit-config.yaml", "- id: trailing-whitespace"),
            says("Let me check what the hook's documentation says. Or would you rather stage the files by hand?"),
            asks("the latter"),
        ),
        Example(
            "a question",
            asks("deploy it"),
            bash("./deploy.sh", output="deployed"),
            says("Deployed. Shall I check the health endpoint?"),
            asks("no"),
        ),
        Example(
            "an explanation that gives the answer itself",
            asks("why is it slow?"),
            read("/home/dev/project/q.py", "SELECT * FROM orders"),
            says(
                "Let me look at the query. It reads every column of orders and has no filter, so the planner scans the whole "
                "table; with 40 million rows that takes seconds. An index on created_at and a filter on the last day would "
                "make it a range scan. The join on users adds little, since users is small and cached."
            ),
            asks("ok, add the index"),
        ),
        Example(
            "the person looked",
            asks("restart billing"),
            bash("ssh root@web1 'systemctl restart billing'", limit=30, times_out=True),
            says("Cut off. I'll check in a minute."),
            asks("never mind, it's up, I checked. Next: the log level"),
        ),
        Example(
            "the person stopped it",
            asks("restart billing"),
            says("I'll check the current state first.", finish="tool-calls"),
            bash("ssh root@web1 'systemctl status billing'", interrupted=True),
            asks("do it differently"),
        ),
        Example(
            "what the program does, not the agent",
            asks("explain the guard"),
            read("/home/dev/project/guard.py", "if exists: skip"),
            says("Now we check if the file exists and skip it. The next call will verify the signature."),
            asks("fine"),
        ),
        Example(
            "a promise for every time to come",
            asks("please always run the linter"),
            says("Understood: from now on I'll check with the linter before each commit."),
            asks("good"),
        ),
        Example(
            "silence after it is another matter",
            asks("list the pods"),
            says("Let me look at the pods.", finish="tool-calls"),
            bash("kubectl get pods", output="cart-1 1/1 Running"),
            nothing(),
        ),
    )  # fmt: skip


def _promise(graph: SessionGraph, said: Said) -> Iterator[tuple[str, int, bool]]:
    """Sentences that promise a look of the assistant's own: the sentence, where it ends, whether it is for later."""
    reading = graph.reading(said)
    for sentence in reading.sentences:
        acts = {act.act for act in sentence.acts}
        text = sentence.text
        promised = "promises_check" in acts or (reading.language == "en" and _promised_plainly(text))
        if not promised or acts & {"asks_person", "hands_over"} or _CONDITION.search(text) is not None:
            continue
        if reading.language == "en":
            if _ENGLISH.search(text) is None and (
                "promises_check" not in acts or _AT_END.search(text) is None
            ):
                continue
            later = _LATER.search(text) is not None or _ENGLISH_WATCH.search(text) is not None
        else:
            if _OFFERED.search(text) is not None:
                continue
            later = _LATER.search(text) is not None
        yield text, sentence.span[1], later or _AT_END.search(text) is not None


def _promised_plainly(text: str) -> bool:
    """Whether an English sentence promises to keep watching, or to look after a wait, with no act that says so."""
    promised = _ENGLISH_WATCH.search(text) is not None or _AFTER_WAIT.search(text) is not None
    return promised and _NEGATED.search(text) is None


def _broken(graph: SessionGraph, turn: Turn, said: Said) -> tuple[Said, str, bool, Target | None] | None:
    """The last promise in some prose that nothing in the rest of the turn keeps."""
    prose = graph.prose(said)
    for text, ends, later in reversed(list(_promise(graph, said))):
        rest = prose[ends:].strip() + _said_next(graph, turn, said)
        meant_then = _meant_at_end(graph, turn, said, text) if later else None
        if meant_then is not None:
            if _left_undone(graph, turn, said, meant_then):
                return said, text, True, _target(graph, turn, said, text)
            continue
        if not later and len(rest) > _SHORT:
            continue
        if later and _THINGS.search(text) is None and len(rest) > _SHORT:
            continue
        if not later and _asks_after(graph, said, ends):
            # Who asks how to go on has put the look into the person's hands.
            continue
        following = _after(turn, said)
        target = _target(graph, turn, said, text)
        meant = target or _spoken_of(graph, turn, said, text)
        away = (
            meant is not None
            and meant.host is not None
            and bool(following)
            and all(_stays_here(graph, call) for call in following)
        )
        if away:
            # Files of the own machine show nothing of what was done on another.
            return said, text, later, meant
        if not later and following and _looks(graph, following[0], None):
            continue
        if not _kept(graph, turn, said, target):
            return said, text, later, target
    return None


class _Meant(NamedTuple):
    """What a promise to look again at the end speaks of."""

    words: frozenset[str]
    """Words of it that stand in commands before it, in lower case."""
    targets: tuple[Target, ...]
    """What the last call before it acted on."""
    runs: bool = False
    """Whether it is a run of tests that was promised."""
    started: tuple[Called, ...] = ()
    """The calls of its own message that started something in the background: it is for the end of that."""


def _meant_at_end(graph: SessionGraph, turn: Turn, said: Said, text: str) -> _Meant | None:
    """What a promise for the end of the work speaks of; ``None`` for any other promise, and where nothing tells."""
    if _AT_END.search(text) is None:
        return None
    started = tuple(
        call
        for call in _after(turn, said)
        if call.at.message_index == said.at.message_index
        and any(ran.command.detached for ran in graph.commands(call))
    )
    if started:
        return _Meant(frozenset(), (), started=started)
    calls = _before(turn, said)[-_RECENT:]
    lines = "\n".join((call.line or call.call.input.ends())[:2000] for call in calls).casefold()
    said_of = _AT_END.sub(" ", text).casefold()
    words = frozenset(
        word for word in _OBJECT.findall(said_of) if word not in _NO_OBJECT and _begin(word) in lines
    )
    last = graph.commands(calls[-1]) if calls else ()
    targets = tuple(
        ran.command.target
        for ran in last
        if ran.command.target.host or ran.command.via or ran.command.target.kind in _ELSEWHERE
    )
    runs = _RUNS_TESTS.search(text) is not None
    return _Meant(words, targets, runs) if words or targets or runs else None


_RUNS_TESTS = lazy(
    r"\b(?:re-?)?run(?:ning)?\b[^.!?\n]{0,40}\b(?:tests?|suite|specs?|e2e)\b"
    r"|\b(?:re)?(?:lanc|exécut|ejecut|corr|execut|rod|esegu|draai|uruchom|kör|kjør|kør|çalıştır)\w{0,8}\b[^.!?\n]{0,40}\b(?:tests?|testes|testy|suite|specs?|e2e|prueba\w*)\b"
    r"|(?:прогон|запу[щс]|прожен)\w{0,8}[^.!?\n]{0,40}тест",
    re.IGNORECASE,
)
"""Words of a promise to run tests: reading files is no run of them."""
_NO_TESTS = lazy(
    r"(?:^|[\s:/-])(?:\w{0,20}lint\w{0,20}|tsc|type-?checks?|prettier|black|ruff|mypy|pyright|flake8|fmt|gofmt|format|clippy|vet|py_compile|--version|--help)(?=$|[\s:])"
)
"""Words of commands that check the text of a program and run none of its tests."""
_SOURCES = lazy(
    r"\.(?:toml|ya?ml|ini|conf|cfg|env|py|jsx?|tsx?|vue|svelte|go|rs|java|kt|rb|php|cs|c|cc|cpp|h|sh|md|rst|html|s?css|tf|lock)\b"
)
"""Files that show nothing of how a run went."""


_ELSEWHERE = frozenset({"service", "container", "compose", "k8s", "database", "cloud", "queue", "cron"})
_RECENT = 12
"""Calls before a promise whose words it may repeat."""


def _begin(word: str) -> str:
    """A word without its ending; a name with digits has none."""
    return word[: max(4, len(word) - 2)] if word.isalpha() else word


def _left_undone(graph: SessionGraph, turn: Turn, said: Said, meant: _Meant) -> bool:
    """Whether work goes on after a promise for its end, and neither looks at what was meant nor hands the look to the person."""
    if meant.started:
        return _wrapped_up(graph, said, meant)
    following = [*_after(turn, said), *_of_next_turn(graph, turn)]
    if any(_may_keep(graph, call, meant) for call in following):
        return False
    told = [one for one in graph.prose_of(turn) if one.role == "assistant" and one.seq > said.seq]
    if meant.runs:
        told += _prose_of_next_turn(graph, turn)
    if not following and not told:
        return turn.next_human is not None
    for one in told:
        acts = {act.act for act in graph.reading(one).acts()}
        if one is not told[-1]:
            # A question amid the work is the agent's to itself.
            acts -= {"asks_person"}
        if acts & _LEFT_TO_PERSON or _YOURS.search(graph.prose(one)) is not None:
            return False
    return True


def _prose_of_next_turn(graph: SessionGraph, turn: Turn) -> list[Said]:
    """What the assistant says in the turn that follows."""
    person = turn.next_human
    if person is None:
        return []
    following = (one for one in graph.turns if one.session == turn.session and one.number == person.turn)
    return [said for one in following for said in graph.prose_of(one) if said.role == "assistant"]


_MOST_AFTER = 400
"""Events after a start in the background that are read for a look at it; of a longer rest nothing is said."""


def _wrapped_up(graph: SessionGraph, said: Said, meant: _Meant) -> bool:
    """Whether a session ends with words of success, and nobody looked at what a promise to look started."""
    after = graph.events[said.seq + 1 : said.seq + 2 + _MOST_AFTER]
    rest = [event for event in after if event.at.session == said.at.session]
    if len(after) > _MOST_AFTER:
        return False
    spoken = [event for event in rest if isinstance(event, Said) and event.role == "assistant"]
    told = [one for one in spoken if graph.prose(one).strip()]
    if not told or "claims_success" not in {act.act for act in graph.reading(told[-1]).acts()}:
        return False
    for one in told:
        acts = {act.act for act in graph.reading(one).acts()}
        if acts & (_LEFT_TO_PERSON | {"reports_in_progress"}) or _YOURS.search(graph.prose(one)) is not None:
            return False
    own = {call.seq for call in meant.started}
    return not any(
        isinstance(event, Called) and event.seq not in own and _may_show(graph, event) for event in rest
    )


def _may_show(graph: SessionGraph, call: Called) -> bool:
    """Whether a call may show how something in the background went."""
    commands = graph.commands(call)
    if call.call.continues is not None or not commands:
        return _PLANS.search(call.call.name) is None
    return any(
        not _only_changes(ran)
        and ran.command.words[:1] not in (("git",), ("cd",), ("echo",))
        and not (ran.command.effect == "read" and _SOURCES.search(" ".join(ran.command.words[1:])[-200:]))
        for ran in commands
    )


def _may_run_tests(ran: Ran) -> bool:
    """Whether a command may run tests, here or where it sends the work."""
    words = ran.command.words
    if words[:1] == ("git",):
        return "push" in words[1:4]
    if ran.command.effect in ("read", "edit", "create", "delete", "move") or words[:1] in _SHOW_NOTHING:
        return False
    return _NO_TESTS.search(" ".join(words[:4])) is None


_LEFT_TO_PERSON = frozenset({"hands_over", "admits_unverified", "asks_person", "proposes_waiting"})
_YOURS = lazy(
    r"\b(?:yours to|up to you|for you to|please (?:check|verify|look)|you (?:can|should|may want to) (?:check|verify|look)|have not|haven['’]t|did not|didn['’]t|still (?:to|need)|bitte|nicht mehr)\b",
    re.IGNORECASE,
)
"""Words by which the look is left to the person, or said not to have been made."""


def _of_next_turn(graph: SessionGraph, turn: Turn) -> tuple[Called, ...]:
    """The calls of the turn that follows: the work that the promise waits for may go on there."""
    person = turn.next_human
    following = (one for one in graph.turns if person is not None and one.session == turn.session)
    return next((one.calls for one in following if person is not None and one.number == person.turn), ())


def _may_keep(graph: SessionGraph, call: Called, meant: _Meant) -> bool:
    """Whether a call may be the look that was promised for the end: of what the promise names, or of nobody knows what."""
    commands = graph.commands(call)
    if call.call.continues is not None or not commands:
        return _PLANS.search(call.call.name) is None
    if meant.runs:
        return any(_may_run_tests(ran) for ran in commands)
    text = (call.line or call.call.input.ends())[:4000].casefold()
    if any(_begin(word) in text for word in meant.words):
        return any(not _only_changes(ran) for ran in commands)
    hosts = {target.host for target in meant.targets if target.host}
    for ran in commands:
        if _only_changes(ran) or _VERSION & set(ran.command.words[1:2]):
            continue
        if ran.command.target.host in hosts or any(
            graph.match(ran, target) is not None for target in meant.targets
        ):
            return True
        # A runner before a test runs it here; a shell on another host or in a container does not.
        here = ran.command.target.host is None and not any(_INSIDE.match(word) for word in ran.command.via)
        if not here or not (ran.command.effect in _LOCAL or ran.command.words[:1] in _SHOW_NOTHING):
            return True
    return False


_INSIDE = lazy(
    r"(?:\S*/)?(?:ssh|mosh|plink|docker|podman|kubectl|oc|nerdctl|lxc|vagrant|wsl|salt|ansible|pssh)\b"
)
_VERSION = frozenset({"--version", "-v", "-V", "version"})
_PLANS = lazy(r"todo|plan|task_?list|think|memory", re.IGNORECASE)
_SHOW_NOTHING = (("git",), ("cd",), ("echo",), ("grep",), ("rg",), ("ls",), ("cat",), ("sed",), ("find",))

_IT = lazy(
    r"\b(?:it|its|they|them|there|that|er|sie|es|dort|il|elle|la|lo|ella|ele|ela|lui|lei|hij)\b|(?<!\w)(?:он|она|оно|его|её|він|вона|його|її)(?!\w)",
    re.IGNORECASE,
)


def _spoken_of(graph: SessionGraph, turn: Turn, said: Said, text: str) -> Target | None:
    """What ``it`` is in a promise: what the call before it started on another host, where that was cut off."""
    calls = _before(turn, said)
    if not calls or calls[-1].cut_off is None or _IT.search(text) is None:
        return None
    started = [
        ran.command.target for ran in graph.commands(calls[-1]) if ran.changes and ran.command.target.host
    ]
    return started[-1] if started else None


def _stays_here(graph: SessionGraph, call: Called) -> bool:
    """Whether a call only reads or edits files of the own machine."""
    commands = graph.commands(call)
    return bool(commands) and all(
        ran.command.effect in ("read", "edit") and ran.command.target.host is None and not ran.command.via
        for ran in commands
    )


def _said_next(graph: SessionGraph, turn: Turn, said: Said) -> str:
    """Prose that follows in the same turn before any call: it may hold the look that was announced."""
    calls = _after(turn, said)
    stop = calls[0].seq if calls else len(graph.events)
    following: list[str] = []
    for event in graph.events[said.seq + 1 : stop][:_NEXT]:
        if not isinstance(event, Said) or event.turn != said.turn:
            break
        if event.role == "assistant" and event.texts:
            following.append(graph.prose(event).strip())
    return "".join(following)


def _asks_after(graph: SessionGraph, said: Said, ends: int) -> bool:
    return any(act.act == "asks_person" and act.span[0] >= ends for act in graph.reading(said).acts())


def _before(turn: Turn, said: Said) -> tuple[Called, ...]:
    """The last calls before some prose: what it can speak of."""
    end = bisect_right(turn.calls, said.seq, key=lambda call: call.seq)
    return turn.calls[max(0, end - _BACK) : end]


def _target(graph: SessionGraph, turn: Turn, said: Said, text: str) -> Target | None:
    """What was changed before in this turn and is named in the sentence."""
    for call in reversed(_before(turn, said)):
        for ran in graph.commands(call):
            if ran.changes and ran.command.target.name and graph.mentioned(text, ran.command.target):
                return ran.command.target
    return None


def _kept(graph: SessionGraph, turn: Turn, said: Said, target: Target | None) -> bool:
    """Whether something later in the turn looks at the target; at anything, where none is named."""
    return any(_looks(graph, call, target) for call in _after(turn, said))


def _after(turn: Turn, said: Said) -> tuple[Called, ...]:
    return turn.calls[bisect_right(turn.calls, said.seq, key=lambda call: call.seq) :]


def _looks(graph: SessionGraph, call: Called, target: Target | None) -> bool:
    commands = graph.commands(call)
    if target is None:
        # A tool that nobody knows, a poll and any program may be the look that was meant.
        return not commands or any(not _only_changes(ran) for ran in commands)
    if call.call.continues is not None:
        return True
    if any(not _only_changes(ran) and graph.match(ran, target) is not None for ran in commands):
        return True
    text = call.line if call.line is not None else call.call.input.ends()
    return graph.mentioned(text, target) and (not commands or any(not _only_changes(ran) for ran in commands))


def _only_changes(ran: Ran) -> bool:
    return ran.changes and ran.command.check_strength is None


def _exposed(graph: SessionGraph, turn: Turn, said: Said, target: Target | None, *, changes: bool) -> bool:
    """Whether the promise is about something in production; what names nothing is about the last start before it, or, with
    ``changes``, about the last change that is not on the own machine.
    """
    for call in reversed(_before(turn, said)):
        for ran in graph.commands(call):
            elsewhere = ran.start or (changes and ran.changes and graph.setting(ran).environment != "local")
            if ran.command.target == target if target is not None else elsewhere:
                return graph.setting(ran).environment == "production"
    return False


def _look_after(graph: SessionGraph, person: Said, target: Target | None) -> Called | None:
    """The first look after the person wrote again, in the turn that their message opens."""
    turn = next(
        (turn for turn in graph.turns if turn.session == person.at.session and turn.number == person.turn),
        None,
    )
    if turn is None:
        return None
    return next((call for call in turn.calls if _looks(graph, call, target)), None)


def _taken_over(graph: SessionGraph, turn: Turn) -> bool:
    """Whether the next human message says that the person looked, or that no look is needed."""
    person = turn.next_human
    return person is not None and _TAKEN.search(graph.prose(person)[:600]) is not None


# -- a change that was to be taken back ---------------------------------------------------------------------

_TAKES_BACK = lazy(
    r"\b(?:i['’]ll|i\s+will|i['’]m\s+going\s+to|i\s+am\s+going\s+to|we['’]ll|and\s+then|then|will)\b[^.!?\n]{0,60}?\b(?:(?:revert|undo)\s+(?:it|this|that|them|back|right|straight|once|when|after\w*|the\s+(?:change|setting|flag|rule|config\w*))|re-?enable|restore\s+(?:it|them|the\s+(?:old|original|previous))|(?:switch\s+(?:\S+\s+){0,4}?|(?:put|set|turn|flip|change|bring|move|scale|take)\s+(?:\S+\s+){1,4}?)(?:back(?!\s+(?:in(?:to)?\s+(?:line|sync|shape|touch|step)|to\s+you|together)\b)|off\s+again|on\s+again)|(?:close|remove|disable|delete|lock|drop)\s+(?:\S+\s+){0,4}?(?:again|right\s+after\w*|afterwards?|straight\s+after\w*))\b"
    r"|\b(?:stelle?|setze?|schalte?|nehme?|drehe?|mache?|fahre?|skaliere?|werde)\s+(?:ich|wir|\S+)[^.!?\n]{0,80}?\b(?:zurück\w*|wieder\s+(?:aus|ein|an|zu|hoch|weg|raus|scharf|rückgängig|\w{0,3}schalten|schließen|entfernen))\b"
    r"|\b(?:je|j['’]|on)\s?(?:le\s+|la\s+|les\s+)?(?:remet\w*|rétabli\w*|annul(?:e|erai)\w*|referm\w*|reviendrai|repasse\w*|restaure\w*)\b|\b(?:volver(?:é|emos)|vuelvo|volvemos)\s+a\s+\w+r\w*\b|\b(?:lo|la)\s+(?:revierto|revertiré|restauraré|desharé|devuelvo|devolveré)\b|\b(?:revertiré|restauraré)\b"
    r"|\b(?:volto|voltarei)\s+a\s+\w+r\b|\b(?:reverto|reverterei|desfaço|restauro|restaurarei)\b|\b(?:ripristin(?:o|erò)|rimett(?:o|erò)|riport(?:o|erò)|richiud(?:o|erò))\b|\b(?:zet|draai|schakel|doe)\s+(?:ik\s+)?[^.!?\n]{0,60}?\b(?:terug|weer\s+(?:uit|aan|dicht))\b"
    r"|\b(?:przywrócę|cofnę|przywracam\s+(?:potem|zaraz))\b|\bgeri\s+(?:al|çevir|döndür|getir)(?:acağım|eceğim|ırım|irim|ürüm)\b|\beski\s+haline\s+(?:getir|döndür)\w+|(?<!\w)(?:верну\s+(?:обратно|назад|как\s+было)|откачу|закрою\s+(?:обратно|снова)|поверну\s+(?:назад|як\s+було)|відкочу)(?!\w)"
    r"|(?:会|再|马上|随后|之后|立即)[^。\n]{0,16}(?:改回|恢复|还原|撤销|关回|切回|调回)|(?:元に戻し|戻し)ます|(?:되돌리|원복하)겠",
    re.IGNORECASE,
)
"""Words by which the assistant promises to take back what it changes."""
_BACK_WORDS = ("back", "revert", "undo", "enable", "restore", "again", "after", "zurück", "wieder", "remet", "rétabli", "annul", "referm", "reviend", "repass", "restaur", "volver", "vuelv", "volv", "deshar", "devuel", "devolv", "volto", "volta", "desfaç", "ripristin", "rimett", "riport", "richiud", "terug", "weer ", "przywr", "cofn", "geri ", "eski hal", "верну", "откач", "закро", "відкоч", "改回", "恢复", "还原", "撤销", "关回", "切回", "调回", "戻し", "되돌", "원복")  # fmt: skip
"""Pieces of lower-case text of which every such promise holds one."""
_STANDS = lazy(
    r"\b(?:still|left|leave|leaving|remains?|stays?|kept|for\s+now|not\s+(?:yet\s+)?(?:reverted|switched|taken|turned|closed)|noch|bleibt|bleiben|gelassen|encore|toujours|reste|todavía|sigue|queda|ainda|continua|fica|ancora|resta|nog|blijft|nadal|wciąż|zostaje|hâlâ|hala|halen|duruyor|kalsın|kaldı)\b"
    r"|(?<!\w)(?:ещ[её]|до\s+сих|остаётся|остается|оставил\w*|досі|ще|залиш\w+)(?!\w)|还|仍|まだ|まま|아직|그대로",
    re.IGNORECASE,
)
"""Words by which it is told that something still stands as it was changed."""
_KEEP_IT = lazy(
    r"\b(?:leave|keep|stays?|lass|bleib\w*|laisse|garde|deja|déjalo|mantén|deixa|mantém|lascia|laat|hou|zostaw|kalsın|bırak)\b|(?<!\w)(?:остав\w*|залиш\w*)|留着|保持|そのまま|그대로",
    re.IGNORECASE,
)
"""Words by which a person wants it to stay."""
_TELLING_WORD = lazy(r"[\w@][\w@./:-]{3,80}")
_MOST_LATER = 600
"""Calls after a change among which the one that takes it back is looked for; of more nothing is said."""


def _left_as_it_is(graph: SessionGraph, turn: Turn) -> tuple[Said, str, Ran, Said] | None:
    """A promise to take a change back that nothing kept: the words, their sentence, the change, and the last words of the session."""
    for said in graph.prose_of(turn):
        if said.role != "assistant" or said.message.summary or said.message.error is not None:
            continue
        if not _after(turn, said):
            continue
        text = graph.prose(said)
        lowered = text.casefold()
        if not any(piece in lowered for piece in _BACK_WORDS) or _TAKES_BACK.search(text) is None:
            continue
        for one in graph.reading(said).sentences:
            if (
                _TAKES_BACK.search(one.text) is None
                or _CONDITION.search(one.text)
                or _OFFERED.search(one.text)
            ):
                continue
            made = next(
                (
                    ran
                    for call in _after(turn, said)
                    for ran in graph.commands(call)
                    if _does_something(ran) and not ran.outcome.failed and call.call.status != "error"
                ),
                None,
            )
            last = _stands_at_end(graph, said, made) if made is not None else None
            if made is not None and last is not None:
                return said, one.text, made, last
    return None


def _does_something(ran: Ran) -> bool:
    """Whether a command changes something, or is one of no known effect."""
    words = ran.command.words
    return ran.changes or (
        ran.command.effect == "none" and words[:1] not in _SHOW_NOTHING and not _VERSION & set(words[1:2])
    )


def _stands_at_end(graph: SessionGraph, said: Said, made: Ran) -> Said | None:
    """The last words of a session, where nothing after a change may have taken it back, and no words say that it stands."""
    own = frozenset(_telling(made))
    program = made.command.words[:1]
    called = graph.index("called")
    later = called[bisect_right(called, made.call.seq) :]
    if len(later) > _MOST_LATER or _twice(graph, made):
        return None
    for seq in later:
        call = graph.events[seq]
        if not isinstance(call, Called) or call.at.session != made.at.session:
            continue
        commands = graph.commands(call)
        if call.line is None and not commands:
            return None
        for ran in commands:
            undoes = ran.command.words[:2] in _UNDO or ran.command.program in ("trap", "at")
            near = ran.command.words[:1] == program or not own.isdisjoint(_telling(ran))
            if undoes or (near and _does_something(ran) and ran.command.words != made.command.words):
                return None
    last: Said | None = None
    humans = graph.index("human")
    for seq in humans[bisect_right(humans, said.seq) :]:
        event = graph.events[seq]
        if isinstance(event, Said):
            text = graph.prose(event)[:600]
            if _KEEP_IT.search(text) is not None or _TAKEN.search(text) is not None:
                return None
    for event in graph.events[made.seq + 1 :]:
        if isinstance(event, Said) and event.role == "assistant" and event.texts:
            if event.at.session != made.at.session:
                continue
            text = graph.prose(event)
            if _STANDS.search(text) is not None or "hands_over" in {
                a.act for a in graph.reading(event).acts()
            }:
                return None
            last = event
    return last


_UNDO = (
    ("git", "checkout"),
    ("git", "switch"),
    ("git", "restore"),
    ("git", "stash"),
    ("git", "revert"),
    ("git", "reset"),
)


def _twice(graph: SessionGraph, made: Ran) -> bool:
    """Whether the line that makes a change runs the same program again in another way: there and back."""
    return any(
        ran.seq != made.seq
        and ran.command.words[:1] == made.command.words[:1]
        and ran.command.words != made.command.words
        for ran in graph.commands(made.call)
    )


def _telling(ran: Ran) -> Iterator[str]:
    """The words of a command, and the name of its target, by which another of the same thing is known."""
    for word in ran.command.words[1:20]:
        if not word.startswith("-") and _TELLING_WORD.fullmatch(word) is not None:
            yield word.casefold()
    if ran.command.target.name:
        yield ran.command.target.name.casefold()
