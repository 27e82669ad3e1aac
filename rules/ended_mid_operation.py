"""The rule ``ended-mid-operation``."""

import re
from bisect import bisect_left
from dataclasses import field as _field
from functools import lru_cache

from sessionlens.examples import Example, asks, bash, edit, nothing, says, tool
from sessionlens.rule import (
    Called,
    Confidence,
    Environment,
    Event,
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
    by_environment,
    clipped,
    dataclass,
    lazy,
    most_exposed,
    named,
    not_recorded,
)

SLUG = "ended-mid-operation"

_FLAGS = re.IGNORECASE


@dataclass(frozen=True, kw_only=True)
class _Pair:
    """A state that one command opens and another one closes."""

    what: str
    opens: re.Pattern[str]
    closes: re.Pattern[str]
    told: re.Pattern[str]
    shown: re.Pattern[str] | None = None
    """What the result must hold for it to be open, where the command alone does not tell."""
    asked: re.Pattern[str] = _field(default_factory=lambda: lazy(r"(?!)"))
    """Words of a person who wants just that state."""
    by_id: bool = False
    """Whether what leaves it names it by an id that the log need not show before."""
    runs: bool = False
    """Whether the words open it only where they are those of a command that may change something, and no text."""


def _pair(
    what: str, opens: str, closes: str, told: str, *, shown: str | None = None, asked: str = r"(?!)", runs: bool = False, by_id: bool = False
) -> _Pair:  # fmt: skip
    return _Pair(
        what=what,
        opens=lazy(opens, _FLAGS),
        closes=lazy(closes, _FLAGS),
        told=lazy(told, _FLAGS),
        shown=None if shown is None else lazy(shown, _FLAGS),
        asked=lazy(asked, _FLAGS),
        runs=runs,
        by_id=by_id,
    )


_GIT = r"\bgit\s+(?:-C\s+\S+\s+|-c\s+\S+\s+)*"
_IN_MAINTENANCE = r"maintenance|offline|\bdown\b|drain\w*|cordon\w*|paus\w*|standby|read.?only|suspend\w*|disabled|freez\w*|frozen|noout|masked|still (?:off|out)|wartung|manutenzione|mantenimiento|обслуживан|维护"
_ASK_OFF = r"maintenance|offline|drain|cordon|pause|standby|read.?only|suspend|disable|freeze|scale (?:\w+ )*(?:down|to (?:0|zero))|take (?:\w+ )*(?:down|out)|stop|shut|mask|wartung|mantenimiento"
_MODE = r"(?:\bmaintenance(?:[-_ ]?mode)?\b|(?<=/)maint\b)"
_GAP = r"(?:\.\w{1,6})?[\s:=/\"',]{1,5}(?:set\s{1,3})?(?:--?)?(?:(?:mode|state|status|enabled?|value|on|flag)[\"']?[\s:=]{1,4}[\"']?)?(?:--)?"
"""What stands between a mode and the word that switches it."""
_FLAG = r"(?:\bmaintenance|\bread[-_]?only|[-_/]read[-_]?only|\bkill[-_]?switch|\b(?:development|debug|under_attack|safe|recovery|bypass)_mode|\b(?:write|checkout|order|deploy)[-_]?freeze)[\w-]*[^\n]{0,60}[\"'{,\s](?:enabled|active|on|state|value|variation)[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
"""A flag of an application, named for what it stops, and its state in what is sent."""
_READ_ONLY = r"\b(?:ALTER\s+(?:DATABASE|SYSTEM|ROLE|USER)\b[^\n;]{0,80}\b|SET\s+PERSIST\s+(?:super_)?|CONFIG\s+SET\s+\S*|[\"'/](?:\w{1,30}[-_.])?)(?:default_transaction_read_only|read[-_]?only(?:[-_]mode)?)[\"']?"
_PAIRS = (
    _pair("stash", _GIT + r"stash(?:\s+(?:push|save|-u|--include-untracked|-k|-m|--all|-a)\b[^\n;&|]{0,160}|\s*(?=$|[;&|\n]))", _GIT + r"stash\s+(?:pop|apply|drop|clear|branch|show)",
          r"stash", shown=r"Saved working directory", asked=r"stash"),
    _pair("stash", r"\bhg\s+shelve\b(?!\s+(?:-\w*[dl]|--list|--delete))", r"\bhg\s+(?:unshelve|shelve\s+(?:-\w*[dl]|--list|--delete))", r"shel[vf]", shown=r"shelved as", asked=r"shel[vf]"),
    _pair("conflict", _GIT + r"(?:merge|rebase|pull|cherry-pick|revert|am|stash\s+(?:pop|apply))\b",
          _GIT + r"(?:\w[\w-]*\s+--(?:continue|abort|skip|quit)|commit|reset|merge|checkout\s+(?:-f|--)|switch\s+-f|restore|stash\s+drop|add|rm)\b", r"conflict|rebas|merg|cherry|konflikt|conflit|conflicto|конфликт|冲突",
          shown=r"CONFLICT \(|Automatic merge failed|could not apply|fix conflicts|after resolving the conflicts|needs merge|patch failed"),
    _pair("trial", r"(?:^|[\n;'\"])\s*commit(?:\s+confirmed|-confirm)\b(?:\s+\d+)?|(?:^|[\n;'\"])\s*reload\s+(?:in|at)\s+[\d:]{1,6}|\bshutdown\s+(?:-[rhPH]\s+|--reboot\s+|--poweroff\s+)*\+\d+|\biptables-apply\b|\bnetplan\s+try\b",
          r"(?<![\w-])commit\b(?!\s+(?:confirmed|check)|-confirm)|(?<![\w-])confirm\b|\breload\s+cancel\b|\bshutdown\s+(?:-c|--cancel)\b|(?<![\w-])rollback\b|\bnetplan\s+apply\b",
          r"confirm|roll\w*[ -]?back|revert|schedul|timer|\breload|reboot|will (?:shut|power)|\b\d+\s?min|zurück|bestätig|annul|retour|revert|confirma|откат|перезагруз|确认|回滚|重启",
          asked=r"confirm|roll\w*[ -]?back|reload|reboot|shut ?down|schedul|timer|neustart|bestätig|redémarr|reinici|confirma|riavvi|перезагруз|重启|再起動", by_id=True),
    _pair("bisect", _GIT + r"bisect\s+start", _GIT + r"bisect\s+(?:reset|run)", r"bisect"),
    _pair("maintenance", r"\bartisan\s+down\b", r"\bartisan\s+up\b", _IN_MAINTENANCE, asked=_ASK_OFF),
    _pair("maintenance", r"\bmaintenance:mode\s+--on\b|\bmaintenance-mode\s+activate\b|\bmaintenance:(?:on|enable|start)\b|\bsystem\.maintenance_mode\s+(?:1|true)\b",
          r"\bmaintenance:mode\s+--off\b|\bmaintenance-mode\s+deactivate\b|\bmaintenance:(?:off|disable|end|stop)\b|\bsystem\.maintenance_mode\s+(?:0|false)\b", _IN_MAINTENANCE, asked=_ASK_OFF),
    _pair("maintenance", r"\btouch\s+\S*maintenance\S*|\bmv\s+\S+\s+\S*maintenance\.(?:html|flag|on)\b", r"\brm\s+(?:-\w+\s+)?\S*maintenance|\bmv\s+\S*maintenance", _IN_MAINTENANCE, asked=_ASK_OFF),
    _pair("maintenance", r"\b(?:kubectl|oc)\b[^\n;&|]{0,160}\s(?:cordon|drain)\s", r"\b(?:kubectl|oc)\b[^\n;&|]{0,160}\s(?:uncordon|delete\s+node)\b", _IN_MAINTENANCE, asked=_ASK_OFF + r"|remove|decommission"),
    _pair("maintenance", r"\b(?:kubectl|oc)\b[^\n;&|]{0,160}\brollout\s+pause\b", r"\b(?:kubectl|oc)\b[^\n;&|]{0,160}\brollout\s+resume\b", _IN_MAINTENANCE, asked=_ASK_OFF),
    _pair("maintenance", r"\b(?:kubectl|oc)\b[^\n;&|]{0,160}\bscale\b[^\n;&|]{0,160}--replicas[= ]0\b", r"\b(?:kubectl|oc)\b[^\n;&|]{0,160}(?:\bscale\b[^\n;&|]{0,160}--replicas[= ][1-9]|\bapply\b|\bdelete\b)|\bhelm\b[^\n;&|]{0,160}\b(?:upgrade|rollback)\b",
          _IN_MAINTENANCE + r"|scaled|zero|\b0 replicas", asked=_ASK_OFF + r"|\bto 0\b|zero"),
    _pair("maintenance", r"\bceph\s+osd\s+set\s+no\w+", r"\bceph\s+osd\s+unset\b", _IN_MAINTENANCE + r"|\bno(?:out|rebalance|backfill)\b", asked=_ASK_OFF + r"|noout"),
    _pair("maintenance", r"\b(?:pcs|crm)\s+node\s+standby\b|\bconsul\s+maint\s+-enable|\bdocker\s+node\s+update\s+[^\n;&|]{0,160}--availability[= ](?:drain|pause)|\bnomad\s+node\s+drain\s+[^\n;&|]{0,160}-enable|\bpuppet\s+agent\s+[^\n;&|]{0,160}--disable",
          r"\b(?:pcs|crm)\s+node\s+(?:unstandby|online)\b|\bconsul\s+maint\s+-disable|--availability[= ]active|\bnomad\s+node\s+drain\s+[^\n;&|]{0,160}-disable|\bpuppet\s+agent\s+[^\n;&|]{0,160}--enable", _IN_MAINTENANCE, asked=_ASK_OFF),
    _pair("maintenance", r"\bdisable\s+server\s+\S+|\bset\s+server\s+\S+\s+state\s+(?:maint|drain)", r"\benable\s+server\s+\S+|\bset\s+server\s+\S+\s+state\s+ready", _IN_MAINTENANCE, asked=_ASK_OFF),
    _pair("maintenance", r"\bSET\s+GLOBAL\s+(?:super_)?read_only\s*=\s*(?:1|on)\b|\bfsfreeze\s+(?:-f|--freeze)|\bsetenforce\s+0\b|\bswapoff\s+-a\b|\bpg_(?:start_backup|backup_start)\s*\(|\bsuspend-processes\b|\bderegister-targets\b|\ba2dissite\b|\bufw\s+disable\b|\bsystemctl\s+mask\b",
          r"\bSET\s+GLOBAL\s+(?:super_)?read_only\s*=\s*(?:0|off)\b|\bfsfreeze\s+(?:-u|--unfreeze)|\bsetenforce\s+1\b|\bswapon\b|\bpg_(?:stop_backup|backup_stop)\s*\(|\bresume-processes\b|\bregister-targets\b|\ba2ensite\b|\bsystemctl\s+unmask\b|\bufw\s+(?:--force\s+)?enable\b",
          _IN_MAINTENANCE + r"|selinux|permissive|swap|backup mode|deregistered|firewall", asked=_ASK_OFF + r"|selinux|swap|firewall|deregister|backup"),
    _pair("maintenance", r"\bflux\s+suspend\b|\bDISABLE\s+TRIGGER\b|\bSTOP\s+(?:SLAVE|REPLICA)\b|\bpg_wal_replay_pause\s*\(|\brabbitmq-upgrade\s+drain\b|\bnodetool\s+disable(?:binary|gossip)\b|\bremount,ro\b",
          r"\bflux\s+resume\b|\bENABLE\s+(?:ALWAYS\s+|REPLICA\s+)?TRIGGER\b|\bSTART\s+(?:SLAVE|REPLICA)\b|\bpg_wal_replay_resume\s*\(|\brabbitmq-upgrade\s+revive\b|\bnodetool\s+enable(?:binary|gossip)\b|\bremount,rw\b",
          _IN_MAINTENANCE + r"|trigger|replication", asked=_ASK_OFF + r"|trigger|replication"),
    _pair("maintenance", r"\bargocd\s+app\s+set\b[^\n;&|]{0,160}--sync-policy[= ](?:none|manual)|\bnomad\s+node\s+eligibility\s+[^\n;&|]{0,160}-disable|\bactivation-policy[= ]never\b|\bdocker\s+service\s+scale\s+[^\n;&|]{0,160}=0(?!\d)|\bvault\s+operator\s+seal\b|\bdisable-alarm-actions\b|\bsystemctl\s+isolate\s+(?:rescue|emergency)",
          r"\bargocd\s+app\s+set\b[^\n;&|]{0,160}--sync-policy[= ]auto|\bnomad\s+node\s+eligibility\s+[^\n;&|]{0,160}-enable|\bactivation-policy[= ]always\b|\bdocker\s+service\s+scale\s+[^\n;&|]{0,160}=[1-9]|\bvault\s+operator\s+unseal\b|\benable-alarm-actions\b|\bsystemctl\s+(?:isolate\s+(?:multi-user|graphical)|default)",
          _IN_MAINTENANCE + r"|sync|scaled|zero|sealed|eligib|alarm", asked=_ASK_OFF + r"|sync|\bto 0\b|zero|seal|eligib|alarm"),
    _pair("maintenance", _MODE + _GAP + r"(?:on|enabled?|start|activate|true|1)(?![\w.]|[\s=:\"']{1,4}(?:false|off|0)\b)|\b(?:enable|start|activate|enter)[-_ ](?:the[-_ ])?maintenance(?:[-_ ]mode)?\b",
          _MODE + _GAP + r"(?:off|disabled?|stop|end|deactivate|false|0)(?![\w.])|\b(?:disable|stop|end|deactivate|leave|exit)[-_ ](?:the[-_ ])?maintenance(?:[-_ ]mode)?\b|\b(?:del(?:ete)?|unset|rm|remove)\b[^\n;&|]{0,80}" + _MODE,
          _IN_MAINTENANCE, asked=_ASK_OFF, runs=True),
    _pair("maintenance", r"\bsed\b[^\n]{0,40}\bs([|/,#@])(?:(?!\1)[^\n]){0,160}\1(?:(?!\1)[^\n]){0,160}\b(?:down|backup|weight=0|disabled)\b(?:(?!\1)[^\n]){0,20}\1[^\n]{0,20}\s/etc/(?:nginx|haproxy|envoy|openresty)\S*",
          r"\b(?:sed|cp|mv|tee|install|git)\b[^\n]{0,400}/etc/(?:nginx|haproxy|envoy|openresty)\S*", _IN_MAINTENANCE + r"|out of (?:the )?(?:rotation|pool|balancer)|aus dem (?:pool|balancer)", asked=_ASK_OFF + r"|out of (?:the )?(?:rotation|pool)", runs=True),
    _pair("maintenance", _FLAG + r"(?:true|on|1|enabled)\b", _FLAG + r"(?:false|off|0|disabled)\b", _IN_MAINTENANCE + r"|flag|[_ -]mode\b", asked=_ASK_OFF + r"|flag|[_ -]mode\b", runs=True),
    _pair("maintenance", _READ_ONLY + r"[\s\"'=:]{1,4}(?:to\s+)?[\"']?(?:on|true|1)\b|\bBLOCKS?\.WRITE[\"'\s:=]{1,6}true\b|\ballocation\.enable[\"'\s:=]{1,6}(?:none|primaries|new_primaries)\b",
          _READ_ONLY + r"[\s\"'=:]{1,4}(?:to\s+)?[\"']?(?:off|false|0|default)\b|\bRESET\s+(?:default_transaction_read_only|ALL)\b|\bblocks?\.write[\"'\s:=]{1,6}(?:false|null)\b|\ballocation\.enable[\"'\s:=]{1,6}(?:all|null)\b",
          _IN_MAINTENANCE + r"|allocation|write block|rebalanc", asked=_ASK_OFF + r"|allocation", runs=True),
    _pair("maintenance", r"\b(?:airflow\s+dags|gcloud\s+(?:\w+\s+)?(?:scheduler\s+jobs|tasks\s+queues)|prefect\s+[\w-]+(?:\s+schedule)?|patronictl|kcctl|nats\s+consumer|temporal\s+schedule|dkron|ocp?|docker|podman|virsh|cnpg|pgbouncer|databricks\s+jobs|snow\s+\w+|dapr|argo\s+\w+|kargo|fly\s+\w+|render|heroku\s+\w+|celery|rq|horizon|doppler|octopus|rundeck|newrelic|statuscake|healthchecks?|uptime\w*|pd|opsgenie)\s(?:[^\n;&|]{0,120}\s)?(?:pause|suspend|quiesce|mute|snooze)\b"
          r"|\b(?:rake|artisan|console|manage\.py|bin/\w+|wp)\b[^\n;&|]{0,60}[\s:_](?:pause|suspend|quiet)\b|^tool:[^\n{]{0,80}\s(?:pause|suspend|mute|snooze|quiesce)\s|/(?:pause|suspend|mute|snooze)(?:[\s'\"?]|$)|\bPAUSE\s+\w+\s*;?['\"]|\b(?:kafka|job|queue|worker|cron|scheduler)\w*[-_.:/ ](?:pause|suspend)\b",
          r"\b(?:unpause|resume|unsuspend|continue|unquiesce|unmute|unsnooze|restart)\b", _IN_MAINTENANCE + r"|pausiert|en pause|pausad|sospes|приостанов|暂停|一時停止|muted|snoozed", asked=_ASK_OFF + r"|mute|snooze|pausier|en pause|pausa|приостанов|暂停|一時停止", runs=True),
    _pair("maintenance", r"[\"']?\bsuspend(?:ed)?[\"']?\s*[:=]\s*[\"']?true\b|\bpaused[\"']?\s*[:=]\s*[\"']?true\b", r"[\"']?\bsuspend(?:ed)?[\"']?\s*[:=]\s*[\"']?false\b|\bpaused[\"']?\s*[:=]\s*[\"']?false\b",
          _IN_MAINTENANCE, asked=_ASK_OFF, runs=True),
    _pair("maintenance", r"\b(?:events|scheduler)\s+disable-rule\b|\baws\s+scheduler\s+update-schedule\b[^\n;&|]{0,200}--state[= ]DISABLED|\bcloudwatch\s+disable-alarm-actions\b|\bschtasks(?:\.exe)?\s+/change\b[^\n;&|]{0,160}/disable\b|\bDisable-ScheduledTask\b|\bmonit\s+unmonitor\b|\bgh\s+workflow\s+disable\b|\bSuspend-Service\b|\bSuspend-ClusterNode\b|\bEnable-ClusterMaintenance\w*",
          r"\b(?:events|scheduler)\s+enable-rule\b|--state[= ]ENABLED|\bcloudwatch\s+enable-alarm-actions\b|\bschtasks(?:\.exe)?\s+/change\b[^\n;&|]{0,160}/enable\b|\bEnable-ScheduledTask\b|\bmonit\s+monitor\b|\bgh\s+workflow\s+enable\b|\bResume-(?:Service|ClusterNode)\b|\bDisable-ClusterMaintenance\w*",
          _IN_MAINTENANCE + r"|switched off|unmonitored|turned off|deaktiviert|désactiv|desactivad|отключ|停用|無効", asked=_ASK_OFF + r"|unmonitor|turn (?:\w+ )*off|switch (?:\w+ )*off|deaktivier|désactiv|desactiv|отключ", runs=True),
    _pair("maintenance", r"\bamtool\s+(?:\S+\s+){0,4}?silence\s+add\b|/api/v2/silences\b[^\n]{0,400}\bstartsAt\b|\bdowntime\s+(?:create|schedule|add)\b|\bSCHEDULE_(?:HOST|SVC)_DOWNTIME\b|\bDISABLE_(?:NOTIFICATIONS|(?:HOST|SVC)_(?:NOTIFICATIONS|CHECK))\b",
          r"\bsilence\s+expire\b|\bdowntime\s+(?:cancel|delete|remove|end)\b|\bDEL_(?:HOST|SVC)_DOWNTIME\b|\bENABLE_(?:NOTIFICATIONS|(?:HOST|SVC)_(?:NOTIFICATIONS|CHECK))\b|-X\s*DELETE\b[^\n]{0,200}/silence/",
          r"silenc|downtime|muted?\b|alerts? (?:is|are|stay)|notification|stumm|wartung|silenci|заглуш|静默", asked=r"silenc|downtime|mute|quiet|stumm|silenci|заглуш|静默|disable (?:\w+ )*alert", by_id=True, runs=True),
    _pair("maintenance", r"\bsp_update_job\b[^\n;]{0,200}@enabled\s*=\s*0|\bstatus\s*=\s*'OFFLINE_(?:SOFT|HARD)'|(?<!cancel-)(?<!cancel)\bquiet-?down\b|\bstopBalancer\s*\(|\bsetBalancerState\s*\(\s*false|\bnodetool\s+(?:\S+\s+){0,4}?disable(?:autocompaction|handoff|thrift|backup)\b|\bSET\s+GLOBAL\s+event_scheduler\s*=\s*(?:0|off)\b|\bSYSTEM\s+STOP\s+\w+|\bceph\s+balancer\s+off\b|\bpuppet\s+agent\s+--disable\b|\bALTER\s+JOB\s+\w+\s+DISABLE\b|\bDISABLE\s+KEYS\b|\bSET\s+GLOBAL\s+(?:FOREIGN_KEY_CHECKS|foreign_key_checks)\s*=\s*(?:0|off)\b",
          r"\bsp_update_job\b[^\n;]{0,200}@enabled\s*=\s*1|\bstatus\s*=\s*'ONLINE'|\bcancel-?quiet-?down\b|\bstartBalancer\s*\(|\bsetBalancerState\s*\(\s*true|\bnodetool\s+(?:\S+\s+){0,4}?enable(?:autocompaction|handoff|thrift|backup)\b|\bSET\s+GLOBAL\s+event_scheduler\s*=\s*(?:1|on)\b|\bSYSTEM\s+START\s+\w+|\bceph\s+balancer\s+on\b|\bpuppet\s+agent\s+--enable\b|\bALTER\s+JOB\s+\w+\s+ENABLE\b|\bENABLE\s+KEYS\b|\bSET\s+GLOBAL\s+(?:FOREIGN_KEY_CHECKS|foreign_key_checks)\s*=\s*(?:1|on)\b",
          _IN_MAINTENANCE + r"|balancer|compaction|handoff|scheduler (?:is|stays)|keys", asked=_ASK_OFF + r"|balancer|compaction|scheduler|handoff", runs=True),
    _pair("maintenance", r"\bsed\s+(?:-\S+\s+)*[^\n;&|]{0,10}-i\S*\s[^\n]{0,160}[|/,@#]\\?#[^\n]{0,120}(?:/etc/cron\S*|/var/spool/cron\S*)|\bcrontab\s+-l\s*\|\s*sed\b[^\n]{0,160}[|/,@]\\?#[^\n]{0,120}\|\s*crontab\s+-",
          r"\bsed\b[^\n;&]{0,200}\^\\?#[^\n]{0,160}cron\S*|\b(?:cp|mv|tee|install|rm)\b[^\n;&|]{0,200}/(?:etc/cron|var/spool/cron)\S*|\bcrontab\s+(?:-u\s+\S+\s+)?[^-\s;&|]",
          _IN_MAINTENANCE + r"|comment(?:ed)? out|auskommentiert|cron jobs? (?:is|are)", asked=_ASK_OFF + r"|comment|auskommentier|remove|turn (?:\w+ )*off", runs=True),
    _pair("maintenance", r"\bcrontab\s+(?:-u\s+\S+\s+)?-r\b", r"\bcrontab\s+(?:-u\s+\S+\s+)?(?:-(?=$|[\s'\"])|[^\s;&|'\"-])",
          _IN_MAINTENANCE + r"|crontab|cron jobs? (?:is|are)|no longer scheduled", asked=_ASK_OFF + r"|remove|delete|clear|clean|get rid|uninstall"),
)  # fmt: skip
"""States that have to be left again."""

_GRAVE = lazy(r"\bdown\b|\bmaint(?:enance)?\b|maintenance|--replicas|read_only|freeze", re.IGNORECASE)
"""States in which nobody is served, or nothing can be written."""
_BEGIN = lazy(r"\b(?:BEGIN(?:\s+(?:TRANSACTION|WORK|TRAN))?|START\s+TRANSACTION)\s*;", re.IGNORECASE)
_COMMIT = lazy(r"\b(?:COMMIT|ROLLBACK|END)\b", re.IGNORECASE)
_WRITES = lazy(r"\b(?:UPDATE|DELETE\s+FROM|INSERT\s+INTO|ALTER|DROP|CREATE|TRUNCATE|MERGE)\b", re.IGNORECASE)
_CLIENT = lazy(r"\b(?:psql|mysql|mariadb|sqlite3|sqlcmd|cockroach|pgcli|mycli)\b")
_TOLD_TRANSACTION = lazy(
    r"transaction|commit|rolled? ?back|uncommitted|transaktion|транзакц|事务", re.IGNORECASE
)

_MOVED = lazy(
    r"\bmv\s+(?:-\w+\s+)*(?P<from>[^\s;&|'\"]+)\s+(?P<to>[^\s;&|'\"]+(?:\.(?:bak|old|orig|off|disabled|tmp|backup|save|hold|aside|away|prev)\b[^\s;&|'\"]*|[-_](?:bak|old|backup|off|disabled)))"
    r"|\bmv\s+(?:-\w+\s+)*(?P<from2>/(?:etc|opt|srv|var/www|usr)/[^\s;&|'\"]+)\s+(?P<to2>/tmp/[^\s;&|'\"]*)"
)
_MV = lazy(r"\bmv\s")
_BRACED = lazy(r"\bmv\s+(?:-\w+\s+)*(?P<from>[^\s;&|'\"{]+)\{,(?P<tail>\.[\w.-]+)\}")
_TOLD_MOVED = lazy(
    r"\bmov(?:ed|ing)\b|renam|disabl|\baside\b|backed up|\.bak\b|\.old\b|verschoben|umbenannt|renomm|renombr|переимен|移动|重命名",
    re.IGNORECASE,
)
_ASK_MOVED = lazy(
    r"\bmov(?:e|ing)\b|renam|disabl|\baside\b|back ?up|archiv|remov|delet|clean|replace|rotate|get rid|verschieb|umbenenn|lösch|renomm|supprim|borr|renombr|удал|переимен|移|删",
    re.IGNORECASE,
)

_ASK_STOP = lazy(
    r"\b(?:stop\w*|shut\w*|kill\w*|halt\w*|tear\w*|disabl\w*|remov\w*|delet\w*|clean\w*|down|turn (?:\w+ )*off|take (?:\w+ )*(?:down|out)|uninstall\w*|decommission\w*|retire|end|quit|get rid)\b"
    r"|\bstopp\w*|beend\w*|halte?\b|abschalt\w*|arrêt\w*|coup\w*|det[eé]n\w*|para\b|apaga\w*|pare\b|ferma\w*|zatrzym\w*|durdur\w*|останов\w*|выключ\w*|зупин\w*|вимкн\w*|停|关|중지|멈",
    re.IGNORECASE,
)
_TOLD_STOPPED = lazy(
    r"\b(?:stopp\w*|(?:is|are|stays?|remains?|left|still) (?:\w+ )?(?:down|off|stopped|out)|not running|shut ?down|no longer runs?|offline|start (?:it|them) again|not (?:been )?(?:re)?started)\b"
    r"|gestoppt|steht still|abgeschaltet|arrêté|detenid\w*|parad[oa]\b|apagad\w*|ferm[oa]\b|fermat\w*|zatrzyman\w*|durduruldu|остановлен\w*|зупинен\w*|停止|已停|중지",
    re.IGNORECASE,
)
_STOPPABLE = frozenset({"service", "container", "compose", "queue", "database", "cloud", "host"})
_PLAN_TOOLS = lazy(r"todo|update_?plan|task_?list|plan_?update", re.IGNORECASE)
_MOST = 200
"""Of more open things than these the last are kept, so that the work stays linear."""
_OPEN_ITEM = frozenset({"in_progress", "in-progress", "inprogress", "active", "doing"})
_ASKING = frozenset(
    {
        "asks_person",
        "hands_over",
        "reports_in_progress",
        "reports_failure",
        "admits_unverified",
        "promises_check",
        "proposes_waiting",
    }
)


@dataclass(frozen=True, kw_only=True)
class EndedMidOperation(Rule):
    """The session ends in the middle of something: a half-made change, or a call without a result.

    ## What it flags
    A call that never got a result, at the end of its turn; a service or container that was stopped and never started
    again; a state that has to be left again and was not (maintenance mode, a drained node, a paused rollout, a read-only
    database, a change on trial that takes itself back unless it is confirmed, a reload that is due, work put on a stash, a merge or rebase with conflicts, a bisect); a file that was moved out of the way
    and neither put back nor written anew; changes in a transaction that was never committed; and a plan whose
    item is still in progress after a turn that changed something. Not flagged: what the person asked for, or stopped;
    what the last words tell of; and what a later command put right.

    ## Why it matters
    What was half done stays half done, and the next one finds it by accident.

    ## What to do
    Finish it or take it back. For the agent: before ending, go through what was opened, and say what is left.

    ## Facts
    - `what`: no_result, stopped, maintenance, trial, conflict, stash, bisect, moved, transaction or plan
    - `subject`: what it is about, in words of the log
    - `environment`: where it was done
    - `opened_at`: index of the message that opened it
    - `interrupted`: whether the person stopped the last turn
    """

    slug = SLUG
    severity = "medium"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Not on logs that leave out what was run."""
        return not_recorded(session.source_format, "calls")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each thing left half done."""
        turns = [turn for turn in graph.turns if turn.session == graph.session.id]
        if not turns:
            return
        for turn in turns:
            yield from self._without_result(graph, turn)
        last = turns[-1]
        calls = [event for seq in graph.index("called") if isinstance(event := graph.events[seq], Called)]
        yield from self._left_open(graph, calls, last)
        yield from self._stopped(graph, last)
        yield from self._moved(graph, calls, last)
        yield from self._transaction(graph, calls, last)
        yield from self._plan(graph, last)

    def _without_result(self, graph: SessionGraph, turn: Turn) -> Iterator[Finding]:
        if turn.interrupted or not turn.calls or not turn.calls[-1].unfinished:
            return
        call = turn.calls[-1]
        if (
            call.call.child is not None
            or call.call.background
            or any(said.seq > call.seq for said in graph.prose_of(turn) if said.role == "assistant")
        ):
            return
        commands = graph.commands(call)
        changing = [ran for ran in commands if ran.changes]
        environment = most_exposed(graph.setting(ran).environment for ran in changing)
        subject = clipped(call.line or call.call.name)
        severity: Severity = (
            by_environment(environment, production="medium", unknown="low", other="low")
            if changing
            else "info"
        )
        ends = turn.next_human is None
        confidence: Confidence = "low" if graph.session.truncated else "medium" if ends else "high"
        yield self._found(
            graph, call, "no_result", subject, f"The {'session' if ends else 'turn'} ends without a result of: {subject}",
            environment=environment, severity=severity, confidence=confidence, turn=turn,
        )  # fmt: skip

    def _left_open(self, graph: SessionGraph, calls: list[Called], last: Turn) -> Iterator[Finding]:
        texts = _switching(graph, calls)
        told_of: set[tuple[int, bool]] = set()
        for pair in _PAIRS:
            for opened in _still_open(graph, calls, pair, texts):
                if pair.runs and (opened.seq, True) in told_of:
                    continue
                told_of.add((opened.seq, pair.what == "maintenance"))
                if not (_asked(graph, opened, pair.asked) or _told(graph, opened, pair.told)):
                    yield self._state(graph, opened, pair, last)

    def _state(self, graph: SessionGraph, opened: Called, pair: _Pair, last: Turn) -> Finding:
        line = _switched_by(graph, opened) if pair.runs else opened.line or ""
        found = pair.opens.search(line)
        subject = " ".join((found.group() if found else line).split())[:80]
        environment = _where(graph, opened, all_of=pair.runs)
        severity: Severity = by_environment(environment, production="medium", unknown="low", other="low")
        if _GRAVE.search(subject) is not None:
            severity = by_environment(environment, production="high", unknown="medium", other="low")
        if pair.what in ("stash", "conflict", "bisect"):
            severity = "low"
        return self._found(
            graph, opened, pair.what, subject, f"Begun and never ended or taken back: {subject}",
            environment=environment, severity=severity, confidence="high" if pair.shown else "medium", turn=last,
        )  # fmt: skip

    def _stopped(self, graph: SessionGraph, last: Turn) -> Iterator[Finding]:
        stopped: dict[Target, Ran] = {}
        started: list[Target] = []
        for event in (graph.events[seq] for seq in graph.index("ran")):
            if not isinstance(event, Ran) or event.command.dry_run:
                continue
            command = event.command
            if command.effect == "stop" and command.target.kind in _STOPPABLE and _lands(event):
                if not any(graph.match(event, target) is not None for target in started[-50:]):
                    stopped[command.target] = event
                    if len(stopped) > _MOST:
                        del stopped[next(iter(stopped))]
            elif event.start or command.effect in ("delete", "scale"):
                if event.start:
                    started.append(command.target)
                for target in [
                    one
                    for one in stopped
                    if graph.match(event, one) is not None or _same_stack(command.target, one)
                ]:
                    del stopped[target]
        for target, ran in stopped.items():
            if _asked(graph, ran, _ASK_STOP) or _told(graph, ran, _TOLD_STOPPED):
                continue
            environment = graph.setting(ran).environment
            subject = named(target) if target.name else " ".join(ran.command.words[:4])
            yield self._found(
                graph, ran, "stopped", subject, f"{subject} was stopped and never started again",
                environment=environment, severity=by_environment(environment, production="high", unknown="medium", other="low"),
                confidence="medium", turn=last,
            )  # fmt: skip

    def _moved(self, graph: SessionGraph, calls: list[Called], last: Turn) -> Iterator[Finding]:
        away: dict[str, Called] = {}
        for call in calls:
            line = call.line or ""
            for path in list(away):
                if _put_back(graph, call, path, line):
                    del away[path]
            if (
                call.line is None
                or call.call.exit not in (0, None)
                or call.call.status == "error"
                or _MV.search(line) is None
            ):
                continue
            for found in (*_MOVED.finditer(line), *_BRACED.finditer(line)):
                groups = found.groupdict()
                path = groups.get("from") or groups.get("from2") or ""
                if path and not path.startswith("/tmp/") and path not in line[found.end() :]:
                    away[path] = call
                    if len(away) > _MOST:
                        del away[next(iter(away))]
        for path, call in away.items():
            if _asked(graph, call, _ASK_MOVED) or _told(graph, call, _TOLD_MOVED, path.rsplit("/", 1)[-1]):
                continue
            environment = _where(graph, call)
            yield self._found(
                graph, call, "moved", path, f"{path} was moved out of the way and not put back",
                environment=environment, severity=by_environment(environment, production="medium", unknown="low", other="low"),
                confidence="medium", turn=last,
            )  # fmt: skip

    def _transaction(self, graph: SessionGraph, calls: list[Called], last: Turn) -> Iterator[Finding]:
        opened: Called | None = None
        for call in calls:
            line = call.line or ""
            if _CLIENT.search(line) is None:
                continue
            begun = _BEGIN.search(line)
            if (
                begun is not None
                and _WRITES.search(line, begun.end())
                and not _COMMIT.search(line, begun.end())
            ):
                opened = call
            elif opened is not None and _COMMIT.search(line) is not None:
                opened = None
        if opened is None or _told(graph, opened, _TOLD_TRANSACTION) or opened.call.status == "error":
            return
        environment = _where(graph, opened)
        yield self._found(
            graph, opened, "transaction", "BEGIN without COMMIT", "Changes in a transaction that was never committed",
            environment=environment, severity=by_environment(environment, production="medium", unknown="medium", other="low"),
            confidence="medium", turn=last,
        )  # fmt: skip

    def _plan(self, graph: SessionGraph, last: Turn) -> Iterator[Finding]:
        if last.interrupted or not last.calls or last.calls[-1].unfinished:
            return
        latest: tuple[Called, str] | None = None
        planned = False
        for call in last.calls:
            if _PLAN_TOOLS.search(call.call.name) is None:
                continue
            planned, latest = True, None
            item = _open_item(call)
            if item is not None:
                latest = (call, item)
        if not planned or latest is None:
            return
        changed = [ran for call in last.calls for ran in graph.commands(call) if ran.change]
        prose = [
            said
            for said in graph.prose_of(last)
            if said.role == "assistant" and said.seq > last.calls[-1].seq
        ]
        if not changed or (prose and {act.act for act in graph.reading(prose[-1]).acts()} & _ASKING):
            return
        # Who reports at the end has told where things stand; a plan that was not kept up is no half-made change.
        if any(len(graph.prose(said).strip()) > 0 for said in prose):
            return
        environment = most_exposed(graph.setting(ran).environment for ran in changed)
        yield self._found(
            graph, latest[0], "plan", latest[1], f"The session ends with a step of the plan in progress: {clipped(latest[1])}",
            environment=environment, severity="low", confidence="low" if graph.session.truncated else "medium", turn=last,
        )  # fmt: skip

    def _found(
        self,
        graph: SessionGraph,
        at: Event,
        what: str,
        subject: str,
        title: str,
        *,
        environment: Environment,
        severity: Severity,
        confidence: Confidence,
        turn: Turn,
    ) -> Finding:  # fmt: skip
        line = (
            at.line if isinstance(at, Called) else " ".join(at.command.words) if isinstance(at, Ran) else ""
        )
        because: list[Reason] = [(at, "opened here", line or "")]
        if turn.messages and turn.messages[-1].seq > at.seq:
            because.append((turn.messages[-1], "the end", graph.prose(turn.messages[-1]).strip()))
        return self.finding(
            at,
            title,
            because=because,
            severity=severity,
            # What was not read, or is of an unknown role, may tell of it or end it.
            confidence="low"
            if any(
                said.seq > at.seq and (said.message.partly_read or not said.role_known)
                for said in turn.messages
            )
            else confidence,
            facts={
                "what": what,
                "subject": subject,
                "environment": environment,
                "opened_at": at.at.message_index,
                "interrupted": turn.interrupted,
            },
            about=f"{what} {subject}",
        )

    examples = (
        Example(
            "maintenance by a script of the project, wanted for the work alone",
            asks("reindex the search on forum-stg, put it into maintenance for that, as in the runbook"),
            bash("ssh forum-stg 'cd /srv/forum && bin/maint on && bin/maint status'", output="maintenance: ON", flag=SLUG),
            bash("ssh forum-stg 'cd /srv/forum && bin/reindex'", output="120441 posts indexed"),
            says("120,441 posts are in the new index."),
        ),
        Example(
            "maintenance by a script of the project, switched off again",
            asks("reindex the search on forum-stg, put it into maintenance for that, as in the runbook"),
            bash("ssh forum-stg 'cd /srv/forum && bin/maint on'", output="maintenance: ON"),
            bash("ssh forum-stg 'cd /srv/forum && bin/reindex && bin/maint off'", output="120441 posts indexed"),
            says("120,441 posts are in the new index."),
        ),
        Example(
            "a server taken out of a proxy by its tables and a build server that takes no more jobs",
            asks("patch db2 and ci"),
            bash("mysql -h proxysql1 -P6032 -e \"UPDATE mysql_servers SET status='OFFLINE_SOFT' WHERE hostname='db2'; LOAD MYSQL SERVERS TO RUNTIME\"", flag=SLUG),
            bash("java -jar jenkins-cli.jar -s https://ci.acme.io quiet-down", flag=SLUG),
            bash("ssh db2 'dnf -y update'", output="Complete!"),
            says("db2 has the patches."),
        ),
        Example(
            "a server put back into a proxy by its tables and a build server that takes jobs again",
            asks("patch db2 and ci"),
            bash("mysql -h proxysql1 -P6032 -e \"UPDATE mysql_servers SET status='OFFLINE_SOFT' WHERE hostname='db2'; LOAD MYSQL SERVERS TO RUNTIME\""),
            bash("java -jar jenkins-cli.jar -s https://ci.acme.io quiet-down"),
            bash("ssh db2 'dnf -y update'", output="Complete!"),
            bash("java -jar jenkins-cli.jar -s https://ci.acme.io cancel-quiet-down"),
            bash("mysql -h proxysql1 -P6032 -e \"UPDATE mysql_servers SET status='ONLINE' WHERE hostname='db2'; LOAD MYSQL SERVERS TO RUNTIME\""),
            says("db2 has the patches."),
        ),
        Example(
            "modes of five makes that the agent switched on for its own work, and none is left",
            asks("migrate the shop on production and fix a.py"),
            bash("ssh web1 './bin/maintenance on'", output="ok", flag=SLUG, severity="high", facts={"what": "maintenance"}),
            bash("ssh af1 'airflow dags pause nightly_orders'", output="ok", flag=SLUG),
            bash("psql -h db1.prod -c \"ALTER DATABASE shop SET default_transaction_read_only = on\"", output="ALTER DATABASE", flag=SLUG),
            bash("amtool silence add alertname=DbDown --duration=24h --comment migration", output="1b2c", flag=SLUG),
            tool("mcp__launchdarkly__update_flag", {"key": "maintenance-mode", "on": True}, output="ok", flag=SLUG),
            bash("ssh db1.prod 'psql -d shop -f up.sql'", output="CREATE TABLE"),
            says("The shop is migrated and a.py is fixed."),
        ),
        Example(
            "modes of five makes that the agent switched on for its own work and off again, each in another way",
            asks("migrate the shop on production and fix a.py"),
            bash("ssh web1 './bin/maintenance on'", output="ok"),
            bash("ssh af1 'airflow dags pause nightly_orders'", output="ok"),
            bash("psql -h db1.prod -c \"ALTER DATABASE shop SET default_transaction_read_only = on\"", output="ALTER DATABASE"),
            bash("amtool silence add alertname=DbDown --duration=24h --comment migration", output="1b2c"),
            tool("mcp__launchdarkly__update_flag", {"key": "maintenance-mode", "on": True}, output="ok"),
            bash("ssh db1.prod 'psql -d shop -f up.sql'", output="CREATE TABLE"),
            tool("mcp__launchdarkly__update_flag", {"key": "maintenance-mode", "on": False}, output="ok"),
            bash("amtool silence expire 1b2c"),
            bash("psql -h db1.prod -c 'ALTER DATABASE shop RESET default_transaction_read_only'", output="ALTER DATABASE"),
            bash("ssh af1 'airflow dags unpause nightly_orders' && ssh web1 './bin/maintenance off'", output="ok"),
            says("The shop is migrated and a.py is fixed."),
        ),
        Example(
            "the mode was wanted for as long as the migration lasts",
            asks("put the shop into maintenance mode while you migrate it"),
            bash("ssh shop1 'cd /w && php artisan down'", output="Application is now in maintenance mode.", flag=SLUG),
            bash("ssh shop1 'cd /w && php artisan migrate --force'", output="DONE"),
            says("The migration has run, three tables changed."),
        ),
        Example(
            "the mode was wanted to stay",
            asks("put the shop into maintenance mode, we go on tomorrow"),
            bash("ssh shop1 'cd /w && php artisan down'", output="Application is now in maintenance mode."),
            says("Done."),
        ),
        Example(
            "words about a mode in a text switch nothing",
            asks("write it down"),
            bash("git commit -am 'pause the queue and set maintenance: true on deploys'", output="[main 9541abc] x"),
            bash("grep -rn 'maintenance: true' conf", output="conf/a.yaml:1: maintenance: true"),
            says("It is in conf/a.yaml."),
        ),
        Example(
            "a server is taken out of the balancer for a patch and stays out",
            asks("patch web2"),
            bash("ssh lb1 \"sed -i 's/server web2:80;/server web2:80 down;/' /etc/nginx/conf.d/up.conf && nginx -s reload\"", flag=SLUG),
            bash("ssh web2 'apt-get upgrade -y'", output="done"),
            says("web2 has the patches."),
        ),
        Example(
            "a server is taken out of the balancer for a patch and put back",
            asks("patch web2"),
            bash("ssh lb1 \"sed -i 's/server web2:80;/server web2:80 down;/' /etc/nginx/conf.d/up.conf && nginx -s reload\""),
            bash("ssh web2 'apt-get upgrade -y'", output="done"),
            bash("ssh lb1 \"sed -i 's/server web2:80 down;/server web2:80;/' /etc/nginx/conf.d/up.conf && nginx -s reload\""),
            says("web2 has the patches."),
        ),
        Example(
            "a job of a schedule that goes by a word of everyday is moved away",
            asks("migrate the shop"),
            bash("ssh web1.prod 'mv /etc/cron.d/shop /root/shop.cron.off'", flag=SLUG, facts={"what": "moved"}),
            bash("ssh db1.prod 'psql -d shop -f up.sql'", output="CREATE TABLE"),
            says("The shop has its new tables."),
        ),
        Example(
            "a scheduler, a syncing tool and a shelf that were put aside and stay so",
            asks("the orders are slow, find out why"),
            bash("argocd app set shop --sync-policy none", output="", flag=SLUG, facts={"what": "maintenance"}),
            bash("nomad node eligibility -disable n1", output="", flag=SLUG),
            bash("hg shelve", output="shelved as default", flag=SLUG, facts={"what": "stash"}),
            says("The index is missing on orders.created_at."),
        ),
        Example(
            "the same, and all of it is put back",
            asks("the orders are slow, find out why"),
            bash("argocd app set shop --sync-policy none", output=""),
            bash("nomad node eligibility -disable n1", output=""),
            bash("hg shelve", output="shelved as default"),
            bash("hg unshelve && nomad node eligibility -enable n1 && argocd app set shop --sync-policy automated", output="unshelving change"),
            says("The index is missing on orders.created_at."),
        ),
        Example(
            "moved away into a folder and moved back from there",
            asks("does the cdn rule break the login?"),
            bash("ssh root@edge 'mv /etc/nginx/conf.d/cdn.conf /tmp/ && nginx -s reload'"),
            bash("curl -si https://example.com/login | head -1", output="HTTP/2 200"),
            bash("ssh root@edge 'mv /tmp/cdn.conf /etc/nginx/conf.d/ && nginx -s reload'"),
            says("It is the cdn rule, the login fails with it."),
        ),
        Example(
            "of two drained nodes only one takes work again",
            asks("patch node-7 and node-8"),
            bash(
                "kubectl drain node-7 --ignore-daemonsets --timeout 60s",
                output="node/node-7 drained",
                flag=SLUG,
                facts={"what": "maintenance"},
            ),
            bash("kubectl drain node-8 --ignore-daemonsets", output="node/node-8 drained"),
            bash("kubectl uncordon node-8", output="node/node-8 uncordoned"),
            says("Both run the new kernel."),
        ),
        Example(
            "two drained nodes, uncordoned in one line and spelled otherwise",
            asks("patch node-7 and node-8"),
            bash("for n in node-7 node-8; do kubectl drain $n; done", output="drained"),
            bash("kubectl uncordon node-7 node-8", output="uncordoned"),
            says("Both run the new kernel."),
        ),
        Example(
            "one of two sites is still in maintenance",
            asks("migrate both shops"),
            bash("ssh d@shop1 'cd /w && php artisan down && php artisan migrate --force'", output="DONE", flag=SLUG),
            bash("ssh d@shop2 'cd /w && php artisan down && php artisan migrate --force'", output="DONE"),
            bash("ssh d@shop2 'cd /w && php artisan up'", output="Application is now live."),
            says("Both are migrated."),
        ),
        Example(
            "an instance was stopped for a bigger disk and stays stopped",
            asks("grow the volume of the build box"),
            bash("aws ec2 stop-instances --instance-ids i-0abc", output="stopping", flag=SLUG, facts={"what": "stopped"}),
            bash("aws ec2 modify-volume --volume-id vol-1 --size 200", output="modifying"),
            says("The volume is being grown to 200 GB."),
        ),
        Example(
            "the broker's application was stopped for a question and stays stopped",
            asks("which feature flags does mq1 have?"),
            bash(
                "ssh root@mq1 'rabbitmqctl stop_app'",
                output="Stopping rabbit application on node rabbit@mq1 ...",
                flag=SLUG,
                facts={"what": "stopped"},
            ),
            bash("ssh root@mq1 'rabbitmq-plugins list -e'", output="[E*] rabbitmq_management 3.13.1"),
            says("Only the management plugin is enabled."),
        ),
        Example(
            "a live service is stopped for a change and stays stopped",
            asks("rotate the certificates on web1"),
            bash("ssh root@web1 'systemctl stop nginx'", flag=SLUG, severity="high", facts={"what": "stopped"}),
            bash("ssh root@web1 'cp /root/new.pem /etc/ssl/site.pem'"),
            says("The new certificate is in place."),
        ),
        Example(
            "maintenance mode is switched on and not off",
            asks("run the migrations of the shop"),
            bash("ssh deploy@shop1 'cd /var/www/shop && php artisan down'", output="Application is now in maintenance mode.", flag=SLUG,
                 severity="high", facts={"what": "maintenance"}),
            bash("ssh deploy@shop1 'cd /var/www/shop && php artisan migrate --force'", output="Migrated: 3"),
            says("Three migrations ran."),
        ),
        Example(
            "a node is drained and never taken back",
            asks("update the kernel of node3"),
            bash("kubectl --context prod drain node3 --ignore-daemonsets", output="node/node3 drained", flag=SLUG, facts={"what": "maintenance"}),
            bash("ssh root@node3 'apt-get install -y linux-image-amd64'", output="Setting up linux-image-amd64"),
            says("The new kernel is installed."),
        ),
        Example(
            "work put on the stash",
            asks("welche Tests laufen auf main?"),
            bash("git stash && git checkout main", output="Saved working directory and index state WIP on parser\nSwitched to branch 'main'",
                 flag=SLUG, severity="low", facts={"what": "stash"}),
            bash("pytest -q", output="41 passed"),
            says("Auf main laufen alle 41."),
        ),
        Example(
            "a rebase with conflicts",
            asks("bring the branch up to date"),
            bash("git rebase main", exit=1, output="CONFLICT (content): Merge conflict in a.py\nerror: could not apply a1b2", flag=SLUG,
                 facts={"what": "conflict"}),
            says("The branch has 3 commits on top of main."),
        ),
        Example(
            "a configuration is moved away for a test",
            asks("does nginx start without the shop's vhost?"),
            bash("ssh root@web1 'mv /etc/nginx/conf.d/shop.conf /etc/nginx/conf.d/shop.conf.bak && nginx -t'",
                 output="test is successful", flag=SLUG, severity="medium", facts={"what": "moved"}),
            says("Yes, the configuration test passes without it."),
        ),
        Example(
            "a transaction without its commit",
            asks("mark the stuck orders as cancelled"),
            bash("psql -h db1.prod.example.com -d shop -c \"BEGIN; UPDATE orders SET state='cancelled' WHERE state='stuck';\"", output="UPDATE 312",
                 flag=SLUG, facts={"what": "transaction"}),
            says("312 orders are cancelled."),
        ),
        Example(
            "the log ends on a call",
            asks("commit and push"),
            edit("/home/dev/project/a.py"),
            bash("git add -A && git commit -m 'Parser' && git push", running=True, flag=SLUG, severity="low", facts={"what": "no_result"}),
        ),
        Example(
            "the plan is in the middle of a step, and nothing more is said",
            asks("rename the module everywhere"),
            tool("todowrite", {"todos": [{"content": "rename files", "status": "completed"}, {"content": "fix imports", "status": "in_progress"}]},
                 output="ok", flag=SLUG, severity="low", facts={"what": "plan", "subject": "fix imports"}),
            edit("/home/dev/project/a.py"),
            nothing(),
        ),
        Example(
            "stopped and started again",
            asks("rotate the certificates on web1"),
            bash("ssh root@web1 'systemctl stop nginx'"),
            bash("ssh root@web1 'cp /root/new.pem /etc/ssl/site.pem && systemctl start nginx && systemctl is-active nginx'", output="active"),
            says("nginx is active with the new certificate."),
        ),
        Example(
            "the person wanted it stopped",
            asks("shut the old worker down"),
            bash("ssh root@web1 'systemctl stop worker-old'"),
            says("Done."),
        ),
        Example(
            "told that it is still stopped",
            asks("rotate the certificates on web1"),
            bash("ssh root@web1 'systemctl stop nginx'"),
            bash("ssh root@web1 'cp /root/new.pem /etc/ssl/site.pem'", exit=1, output="cp: cannot stat '/root/new.pem'"),
            says("There is no new.pem, and nginx is still stopped. Where is the file?"),
        ),
        Example(
            "maintenance mode off again, in the same line",
            asks("run the migrations"),
            bash("ssh deploy@shop1 'php artisan down && php artisan migrate --force; php artisan up'", output="Migrated: 3\nApplication is now live."),
            says("Three migrations ran."),
        ),
        Example(
            "the stash is taken back",
            asks("which tests pass on main?"),
            bash("git stash && git checkout main", output="Saved working directory and index state WIP"),
            bash("pytest -q", output="41 passed"),
            bash("git checkout - && git stash pop", output="Dropped refs/stash@{0}"),
            says("All 41."),
        ),
        Example(
            "conflicts resolved and continued",
            asks("bring the branch up to date"),
            bash("git rebase main", exit=1, output="CONFLICT (content): Merge conflict in a.py"),
            edit("/home/dev/project/a.py"),
            bash("git add a.py && git rebase --continue", output="Successfully rebased"),
            says("Rebased."),
        ),
        Example(
            "moved away and written anew",
            asks("new vhost please"),
            bash("ssh root@web1 'mv /etc/nginx/conf.d/shop.conf /etc/nginx/conf.d/shop.conf.bak'"),
            bash("ssh root@web1 'cp /tmp/shop.conf /etc/nginx/conf.d/shop.conf && nginx -t && systemctl reload nginx'", output="successful"),
            says("The new vhost is live."),
        ),
        Example(
            "a container of one's own, stopped after the test",
            asks("run the integration tests"),
            bash("docker run -d --name testdb postgres:16", output="abc"),
            bash("pytest tests/integration", output="12 passed"),
            bash("docker stop testdb", output="testdb"),
            says("All 12 pass."),
        ),
        Example(
            "a change of a router on trial, looked at and never confirmed",
            asks("Set the new BGP neighbor on edge-r1.prod."),
            bash(
                "ssh admin@edge-r1.prod 'configure; set protocols bgp group ext neighbor 192.0.2.9 peer-as 65009; commit confirmed 5'",
                output="commit confirmed will be automatically rolled back in 5 minutes unless confirmed\ncommit complete",
                flag=SLUG, facts={"what": "trial"},
            ),
            bash("ssh admin@edge-r1.prod 'show bgp summary'", output="192.0.2.9 65009 Establ"),
            says("The neighbor is established."),
        ),
        Example(
            "a change of a router on trial, looked at and confirmed",
            asks("Set the new BGP neighbor on edge-r1.prod."),
            bash(
                "ssh admin@edge-r1.prod 'configure; set protocols bgp group ext neighbor 192.0.2.9 peer-as 65009; commit confirmed 5'",
                output="commit confirmed will be automatically rolled back in 5 minutes unless confirmed\ncommit complete",
            ),
            bash("ssh admin@edge-r1.prod 'show bgp summary'", output="192.0.2.9 65009 Establ"),
            bash("ssh admin@edge-r1.prod 'configure; commit'", output="commit complete"),
            says("The neighbor is established."),
        ),
        Example(
            "a reload that is due, and nobody called it off or told of it",
            asks("Shut Gi0/3 on sw1.prod."),
            bash("ssh admin@sw1.prod 'reload in 10'", output="Reload scheduled in 10 minutes", flag=SLUG, facts={"what": "trial"}),
            bash("ssh admin@sw1.prod 'configure terminal\ninterface Gi0/3\nshutdown\nend'"),
            bash("ssh admin@sw1.prod 'show interface Gi0/3'", output="Gi0/3 is administratively down"),
            says("Gi0/3 is off."),
        ),
        Example(
            "a reload that was called off when the change was seen",
            asks("Shut Gi0/3 on sw1.prod."),
            bash("ssh admin@sw1.prod 'reload in 10'", output="Reload scheduled in 10 minutes"),
            bash("ssh admin@sw1.prod 'configure terminal\ninterface Gi0/3\nshutdown\nend'"),
            bash("ssh admin@sw1.prod 'show interface Gi0/3'", output="Gi0/3 is administratively down"),
            bash("ssh admin@sw1.prod 'reload cancel'", output="--- SHUTDOWN ABORTED ---"),
            says("Gi0/3 is off."),
        ),
        Example(
            "the person stopped it",
            asks("build"),
            bash("npm run build", interrupted=True),
        ),
        Example(
            "a plan that was not kept up, the work is reported",
            asks("rename the module everywhere"),
            tool("todowrite", {"todos": [{"content": "fix imports", "status": "in_progress"}]}, output="ok"),
            edit("/home/dev/project/a.py"),
            says("Renamed in all files."),
        ),
        Example(
            "a transaction with its commit",
            asks("mark them"),
            bash("psql -h db1.prod.example.com -d shop -c \"BEGIN; UPDATE orders SET state='x' WHERE id=3; COMMIT;\"", output="COMMIT"),
            says("Marked."),
        ),
    )  # fmt: skip


def _lands(ran: Ran) -> bool:
    return not ran.outcome.failed and not ran.outcome.changed_nothing and ran.outcome.reached != "no"


def _same_stack(target: Target, other: Target) -> bool:
    """Whether two things belong to one stack of containers on one host: bringing it up brings up its parts."""
    return target.kind == "compose" and other.kind in ("compose", "container") and target.host == other.host


_SWITCHES = lazy(
    r"maint|read[-_]?only|paus|suspend|quiesce|quiet|mute|snooze|disable|unmonitor|silence|downtime|write|allocation|balancer|event_scheduler|system\s+stop|cron|kill[-_]?switch|freeze|_mode|offline_|sp_update_job|\bdown\b|weight=0|backup;",
    re.IGNORECASE,
)
"""Words of which one stands in all that opens a state by a command's own words."""
_TEXTUAL = frozenset({"echo", "printf", "git", "gh", "grep", "egrep", "rg", "cat", "less", "head", "tail", "awk", "jq", "man", "diff", "ls", "find"})  # fmt: skip
"""Programs whose words are names and texts; what they print switches nothing."""
_LOOKS_ONLY = lazy(
    r"(?:^|[_\W])(?:get|list|read|search|fetch|find|describe|show|view|todo\w*|task|think|plan)(?:$|[_\W])",
    re.IGNORECASE,
)


def _switching(graph: SessionGraph, calls: list[Called]) -> dict[int, str]:
    """By position, what calls say to programs that may switch a state, where a cheap word lets them do so."""
    found = {}
    for call in calls:
        if call.line is None and _only_looks(graph, call):
            continue
        said = call.line if call.line is not None else call.call.input.ends()
        if _SWITCHES.search(said[:_LONGEST]) is not None or _SWITCHES.search(call.call.name) is not None:
            text = _switched_by(graph, call)
            if text:
                found[call.seq] = text
    return found


_LONGEST = 4_000
_WORDS_OF_NAME = lazy(r"(?<=[a-z0-9])(?=[A-Z])|_+")


def _only_looks(graph: SessionGraph, call: Called) -> bool:
    """Whether a tool does what is known, or by its name only looks: such switch nothing."""
    return bool(graph.commands(call)) or _LOOKS_ONLY.search(call.call.name) is not None


def _switched_by(graph: SessionGraph, call: Called) -> str:
    """The words of the commands of a call that may change what runs, a line each; of a tool nobody knows its name and input."""
    commands = graph.commands(call)
    if call.line is None:
        if _only_looks(graph, call):
            return ""
        name = _WORDS_OF_NAME.sub(" ", call.call.name)
        return f"tool: {name} {call.call.input.ends()[:_LONGEST]}"
    lines = []
    for ran in commands:
        command = ran.command
        program = command.program
        edits_system = command.effect == "edit" and command.target.name.startswith(("/etc/", "/var/"))
        switches_workflow = program == "gh" and command.words[1:2] == ("workflow",)
        if (program in _TEXTUAL and not switches_workflow) or command.dry_run:
            continue
        # A client of a service may have a word for pausing that no table knows as a change.
        asks_service = command.effect == "read" and command.target.kind != "file"
        if command.effect not in ("read", "edit", "test", "build", "check") or edits_system or asks_service:
            lines.append(" ".join(command.words)[:_LONGEST])
    return "\n".join(lines)


def _still_open(graph: SessionGraph, calls: list[Called], pair: _Pair, texts: dict[int, str]) -> list[Called]:
    """The calls that opened the state of a pair for something, where no later one closed it for that."""
    still: list[tuple[Called, str, re.Match[str]]] = []
    for call in calls:
        line = texts.get(call.seq, "") if pair.runs else call.line
        if line is None or call.unfinished or (call.call.status == "error" and pair.shown is None):
            continue
        opening = list(pair.opens.finditer(line)) if line else []
        if opening and not _took_hold(call, pair):
            opening = []
        if not opening and not still:
            continue
        if pair.runs:
            # What closes it may be said in other words than a switch.
            line = line or _switched_by(graph, call)
        closing = list(pair.closes.finditer(line))
        still = [
            one for one in still if not any(_same(graph, pair, one, (call, line, end)) for end in closing)
        ]
        for found in opening[:20]:
            # In the line itself only what comes later closes; what a result shows, its own line did not close.
            ends = [] if pair.shown is not None else [end for end in closing if end.start() > found.start()]
            still = [
                one
                for one in still
                if not _same(graph, pair, one, (call, line, found))
                or (pair.runs and one[1] != line and not _operands(line, *found.span()))
            ]
            if not any(_same(graph, pair, (call, line, found), (call, line, end)) for end in ends):
                still = [*still[1 - _MOST :], (call, line, found)]
    return list({call.seq: call for call, _, _ in still}.values())


_OPERAND = lazy(
    r"(?<![\w-])(?:-n|--namespace|--context|--grace-period|--timeout)[ =]\S+|(?<!\S)-\S+|[\w.:-]+"
)
_COMMON_WORDS = frozenset(
    {"activate", "add", "cancel-quiet-down", "quiet-down", "airflow", "alter", "aws", "console", "continue", "create", "dags", "database", "deactivate", "default", "default_transaction_read_only",
     "disable-rule", "disabled", "enable-rule", "enabled", "end", "events", "false", "gcloud", "global", "http", "https", "jobs", "key", "maintenance", "maintenance-mode",
     "mode", "monit", "monitor", "mute", "nodetool", "null", "off", "on", "patch", "paused", "php", "put", "queue", "queues", "rake", "read-only", "read_only", "readonly",
     "reset", "restart", "schedule", "scheduler", "silence", "snooze", "spec", "start", "stop", "suspended", "system", "tasks", "to", "true", "unmonitor",
     "unmute", "unpause", "unsuspend", "value", "workflow",
     "apply", "artisan", "ceph", "cordon", "crm", "delete", "deploy", "deployment", "deployments", "disable",
     "docker", "down", "drain", "enable", "flux", "helm", "helmrelease", "hr", "ks", "kubectl", "kustomization",
     "maint", "mask", "node", "nodes", "now", "oc", "online", "osd", "pause", "pcs", "ready", "replicas", "resume",
     "rollback", "rollout", "scale", "server", "set", "standby", "state", "statefulset", "sts", "suspend",
     "systemctl", "ufw", "uncordon", "unmask", "unset", "unstandby", "up", "update", "upgrade"}
)  # fmt: skip
"""Words of commands, which name nothing that they are applied to."""


def _same(
    graph: SessionGraph,
    pair: _Pair,
    one: tuple[Called, str, re.Match[str]],
    other: tuple[Called, str, re.Match[str]],
) -> bool:
    """Whether two matches of a pair speak of one thing, as far as their hosts and operands tell."""
    if pair.shown is not None or pair.by_id:
        return True
    here, there = (
        {ran.command.target.host for ran in graph.commands(call) if ran.command.target.host}
        for call, _, _ in (one, other)
    )
    if here and there and not here & there:
        return False
    mine, theirs = (_operands(line, *found.span()) for _, line, found in (one, other))
    return not mine or not theirs or bool(mine & theirs)


@lru_cache(maxsize=1024)
def _operands(line: str, start: int, stop: int) -> frozenset[str]:
    """What a matched command is applied to: its words up to the next command, without options and common words."""
    end = re.compile(r"[;&|\n'\")]").search(line, stop)
    part = line[start : end.start() if end else stop + 200]
    if "$" in part:
        # Which thing a variable stands for is not known.
        return frozenset()
    words = (
        piece
        for word in _OPERAND.findall(part)
        if not word.startswith("-")
        for piece in word.lower().split(":")
    )
    return frozenset(word for word in words if word and word not in _COMMON_WORDS and not word.isdecimal())


def _took_hold(call: Called, pair: _Pair) -> bool:
    """Whether the result lets the state be open."""
    shown = "\n".join(text.ends() for text in (call.call.output, call.call.error) if text is not None)
    if pair.shown is not None:
        return pair.shown.search(shown) is not None
    return call.call.exit in (0, None) and not call.call.interrupted


def _where(graph: SessionGraph, call: Called, *, all_of: bool = False) -> Environment:
    """Where the changes of a call were made; with ``all_of`` where any of its commands ran: no table may know them."""
    commands = graph.commands(call)
    if all_of and not commands:
        return "unknown"
    return most_exposed(graph.setting(ran).environment for ran in commands if ran.changes or all_of)


def _asked(graph: SessionGraph, event: Event, words: re.Pattern[str]) -> bool:
    """Whether one of the last two messages of the person before an event asks for just that."""
    people = graph.index("human")
    for seq in people[: bisect_left(people, event.seq)][-2:]:
        said = graph.events[seq]
        text = graph.prose(said)[:4000] if isinstance(said, Said) else ""
        if words.search(text) is not None and _FOR_A_WHILE.search(text) is None:
            return True
    return False


_FOR_A_WHILE = lazy(
    r"\bfor (?:that|this|it)\b(?=\s*(?:[,.;!]|$|as\b|and\b))|\b(?:dafür|pour (?:ça|cela)|para (?:eso|ello|isso)|per questo|daarvoor)\b|(?<!\w)для (?:этого|цього)(?!\w)"
    r"|\b(?:while (?:you|we|it|the|this|that)\b|during (?:the|this|that)\b|for the (?:time|duration) of\b|only (?:for|as long as)\b|until (?:you are|you['’]re|it is|it['’]s|that['’]s) (?:done|through|finished)"
    r"|(?:bring|take|put|switch|turn|set|get) (?:\S+ ){1,3}(?:back|on again|off again|out again)\b|(?:undrain|uncordon|unpause|resume|re-?enable|restart|start (?:\S+ ){0,3}again)\b)"
    r"|\b(?:während|solange|für die (?:dauer|zeit)|(?:danach|anschließend|hinterher|dann) (?:\S+ ){0,4}wieder|wieder (?:ein|an|aus|hoch|frei))\b|\b(?:pendant|le temps (?:de|d')|puis (?:\S+ ){0,3}(?:réactive|remets|relance)\w*|durante|mientras|después (?:\S+ ){0,3}(?:vuelve|reactiva)\w*|enquanto|mentre|tijdens|na czas|podczas)\b"
    r"|(?<!\w)(?:на время|пока (?:ты|мы|идёт|идет)|потом (?:\S+ ){0,3}(?:включи|верни|запусти)|на час)|期间|的时候|完成后(?:恢复|打开)|の間|後で戻",
    re.IGNORECASE,
)
"""Words by which a state is wanted for as long as other work lasts, and is to be left again."""


def _told(graph: SessionGraph, event: Event, words: re.Pattern[str], name: str = "") -> bool:
    """Whether prose after an event tells of the state, or names the thing."""
    for seq in graph.index("said"):
        said = graph.events[seq]
        if (
            seq <= event.seq
            or not isinstance(said, Said)
            or said.role != "assistant"
            or said.depth
            or not said.texts
        ):
            continue
        prose = graph.prose(said)
        # A name of letters alone may be said of anything.
        if words.search(prose) is not None or (name and not name.isalpha() and name in prose):
            return True
    return False


def _put_back(graph: SessionGraph, call: Called, path: str, line: str) -> bool:
    """Whether a call writes, restores or removes what stood at a path, or its copy."""
    base = path.rsplit("/", 1)[-1]
    if (
        base in line
        and re.search(rf"\b(?:mv|cp|rm|install|ln|tee|git)\b[^\n;&|]{{0,400}}{re.escape(base)}", line)
        is not None
    ):
        return True
    return any(
        ran.change
        and ran.command.effect in ("edit", "transfer", "create")
        and ran.command.target.name.rsplit("/", 1)[-1] == base
        for ran in graph.commands(call)
    )


def _open_item(call: Called) -> str | None:
    """The item of a plan that is in progress; ``None`` where none is."""
    arguments = call.call.arguments()
    for key in ("todos", "plan", "items", "tasks", "steps"):
        rows = arguments.get(key)
        if isinstance(rows, list):
            for row in rows:
                if isinstance(row, dict) and str(row.get("status", "")).lower() in _OPEN_ITEM:
                    text = next(
                        (
                            row[name]
                            for name in ("content", "step", "title", "text", "description")
                            if isinstance(row.get(name), str)
                        ),
                        "",
                    )
                    return text or "an item"
    return None
