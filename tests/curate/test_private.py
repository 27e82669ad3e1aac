"""Hosts and addresses of e-mail as logs write them: gone wherever they stand, and nothing else with them."""

import json

import pytest

from sessionlens.curate.extract import PERSONAL, Order
from sessionlens.curate.names import named
from sessionlens.model import Call, Message, Session, Text, TextPart
from sessionlens.redact import RedactOptions, redact


def cleaned(*calls: tuple[str, str], texts: tuple[str, ...] = ()) -> str:
    parts: list[Call | TextPart] = [
        Call(name="bash", input=Text(json.dumps({"command": line})), output=Text(output))
        for line, output in calls
    ]
    parts += [TextPart(text=Text(text)) for text in texts]
    session = Session(
        id="s", source_format="t", messages=(Message(index=0, role="assistant", parts=tuple(parts)),)
    )
    made, _ = redact(session, options=RedactOptions(homes=True, emails=True, addresses=True, hosts=True))
    found = []
    for part in made.messages[0].parts:
        if isinstance(part, Call):
            found += [str(part.arguments()["command"]), part.output.whole() if part.output else ""]
        elif isinstance(part, TextPart):
            found.append(part.text.whole())
    return "\n".join(found)


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("ssh root@c1 uptime", ""),
        ("ssh c1 uptime", ""),
        ("redis-cli -h c1 ping", "PONG"),
        ("PGPASSWORD=$P psql -h c1 -U app -c 'select 1'", ""),
        ("mysql -hc1 -u root", ""),
        ("mongosh --host c1 --eval 'rs.status()'", ""),
        ("scp x.conf c1:/etc/x.conf", ""),
        ("rsync -a build/ deploy@c1:/srv/www/", ""),
        ("curl -s c1:8000/health", ""),
        ("curl -s http://c1/health", ""),
        ("cat /proc/x", "Nov  3 10:11:12 c1 sshd[123]: session opened"),
        ("cat /proc/x", "2026-11-03T10:11:12.123+01:00 c1 kernel: x"),
        ("cat /proc/x", "root@c1:~# ls"),
        ("cat /proc/x", "[anna@c1 log]$ ls"),
        ("cat /proc/x", "anna@c1:~/shop$ ls"),
        ("cat /proc/x", "(shop) anna@c1 shop-api % git pull"),
        ("cat /proc/x", "anna@c1 /Users % "),
        ("cat /proc/x", "anna@c1 shop\n% uv venv"),
        ("cat /proc/x", "c1:shop anna$ ls -l"),
        ("uname -a", "Linux c1 5.15.0-91-generic x86_64"),
        ("hostnamectl", "Static hostname: c1"),
        ("ansible-playbook x.yml", "ok: [c1]"),
    ],
)
def test_a_host_that_shows_once_goes_everywhere(line: str, output: str):
    made = cleaned((line, output), ("sed -i 's/host: c1/x/' a.yml", "c1 is up, c10 and abc1 are other words"))
    assert "c1 " not in made.replace("abc1 ", "")
    assert "anna" not in made
    assert "s/host: host-1/x/" in made
    assert "host-1 is up, c10 and abc1 are other words" in made


def test_others_of_a_series_and_short_names_go_too():
    made = cleaned(
        ("ssh root@gpu6 \"sed -i 's/gpu6/gpu8/' /etc/hosts\"", ""),
        ("ssh web3.shop.example.org uptime", "web3 up"),
        texts=("gpu7 is idle, GPU 7 is not; web4 too",),
    )
    for name in ("gpu6", "gpu7", "gpu8", "web3", "web4", "shop.example"):
        assert name not in made
    assert "GPU 7 is not" in made


@pytest.mark.parametrize(
    "line",
    [
        "ssh server uptime", "ssh prod 'tail -n 5 app.log'", "psql -h db -U app", "redis-cli -h cache ping",
        "curl -s http://vllm:8000/v1/models", "npx create-react-app@latest x", "npm i react@18.2.0 next@v14",
        "git clone git@github.com:o/r.git", "pip install torch@2.1", "uses: actions/checkout@v4", "nc -zv localhost 80",
        "echo 2026-01-02T10:00:00Z INFO foo: bar", "ssh-keygen -t ed25519", "import jdk.internal.misc",
    ],
)  # fmt: skip
def test_common_names_and_versions_stay(line: str):
    text = "the server of prod has a db, a cache and vllm; latest is v14, 18.2.0 on node 20; ssh keys; ping me at 5"
    assert cleaned((line, ""), texts=(text,)) == f"{line}\n\n{text}"


def test_machines_in_prompts_of_a_mac_and_in_addresses_go_everywhere():
    made = cleaned(
        ("cat notes", "anna@Annas-MacBook-Air ~ % python --version\nzsh: command not found"),
        ("cat more", "Bert-Mac-mini:shop bert$ make\nok"),
        ("curl http://anna-vps:8010/health", "{}"),
        ("curl http://auth-service:8010/health http://production-db:5432", "{}"),
        texts=("on Annas-MacBook-Air and Bert-Mac-mini it works, on anna-vps not; 40 % of it",),
    )
    for name in ("Annas-MacBook-Air", "Bert-Mac-mini", "anna-vps", "bert$", "anna@"):
        assert name not in made
    for kept in ("auth-service:8010", "production-db:5432", "~ % python --version", "40 % of it"):
        assert kept in made


@pytest.mark.parametrize(
    "address",
    [
        "user@example.com",
        "a.b+c@mail.example.org",
        "x@example.net",
        "user@domain.test",
        "not@valid.invalid",
        "user..name@domain.com",
        "user.@domain.com",
    ],
)
def test_addresses_in_domains_kept_free_for_tests_are_nobodys(address: str):
    line = f"assert is_valid('{address}'), 'no mail to {address}'"
    assert (
        cleaned(("cat tests/test_mail.py", line), texts=(line,)) == f"cat tests/test_mail.py\n{line}\n{line}"
    )


def test_addresses_of_others_are_replaced_the_same_everywhere():
    made = cleaned(
        ("cat x", "assert owner('anna@firm.com') == 'anna@firm.com'"), texts=("bert@example.com.firm.com",)
    )
    assert "assert owner('person-1@mail.invalid') == 'person-1@mail.invalid'" in made
    assert "firm" not in made


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("AUTH_TOKEN_SECRET=shop_bot_secret_key_123", "AUTH_TOKEN_SECRET=REDACTED-secret-1"),
        ("    30→ACCESS_TOKEN_SECRET=blue-whale-sings", "    30→ACCESS_TOKEN_SECRET=REDACTED-secret-1"),
        ("AUTH_TOKEN_SECRET=your_secret_here", "AUTH_TOKEN_SECRET=your_secret_here"),
        ("MAX_TOKEN_KEY=page", "MAX_TOKEN_KEY=page"),
    ],
)
def test_the_secret_of_a_token_is_one(line: str, left: str):
    assert cleaned(("cat .env", line)) == f"cat .env\n{left}"


def test_an_address_before_a_colon_is_one():
    made = cleaned(
        ("scp anna@build.firm.example:/x .", ""), texts=("write to anna@firm.example: it is urgent",)
    )
    assert "anna@firm.example" not in made
    assert "person-1@mail.invalid: it is urgent" in made
    assert "user-1@host-1:/x" in made


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("ls /mnt/c/Users/anna/AppData", "ls /mnt/c/Users/user-1/AppData"),
        ("node file:///mnt/c/Users/anna/x.js", "node file:///mnt/c/Users/user-1/x.js"),
        ("ls .claude/projects/-home-anna-shop-api", "ls .claude/projects/-home-user-1-shop-api"),
        ("cat /__home__anna__projects__x", "cat /__home__user-1__projects__x"),
        ("cat __Users__anna__x.md", "cat __Users__user-1__x.md"),
        ("ssh -p 22 anna@gpu7 uptime", "ssh -p 22 user-1@host-1 uptime"),
        ("ssh git@github.com", "ssh git@github.com"),
        ("call __home__ twice", "call __home__ twice"),
    ],
)
def test_names_of_persons_in_other_spellings_of_a_home(line: str, left: str):
    assert cleaned((line, "")).strip() == left


def test_owners_of_files_are_persons_unless_the_system_has_such_accounts():
    listed = (
        "total 8\n"
        "drwxr-xr-x  2 anna staff 4096 Sep 19 00:20 src\n"
        "-rw-r--r--@ 1 anna.b anna.b 12 Dec  6 14:55 a b.md\n"
        "lrwxrwxrwx 1 www-data www-data 9 Dec  6 14:55 current -> x\n"
        "-rwsr-x--- 1 root docker 9 Dec  6 2019 run\n"
        "-rw-rw-r-- 1 1000 1000 9 Dec  6 2019 by number\n"
        "drwx------  3 dip staff 96 Dec  6 2019 Library\n"
        "brw-rw---- 1 root disk 8 Dec  6 2019 sda\n"
        "  -rw-rw-r-- of anna is not listed here\n"
    )
    made = cleaned(("ls -la", listed), ("ls -l x", "-rw-r--r-- 1 anna wheel 3 Jan  1 10:00 x"))
    assert "anna staff" not in made
    assert "anna.b" not in made
    assert "drwxr-xr-x  2 user-1 staff 4096" in made
    assert "-rw-r--r--@ 1 user-2 user-2 12" in made
    assert "-rw-r--r-- 1 user-1 wheel 3" in made
    for kept in (
        "1 www-data www-data 9",
        "1 root docker 9",
        "1 1000 1000 9",
        "3 user-3 staff 96",
        "1 root disk 8",
        "of anna is not listed here",
    ):
        assert kept in made


def test_names_of_files_too():
    order = Order(personal=PERSONAL)
    assert "anna" not in named("logs/__Users__anna__shop.jsonl", order)
    assert "anna" not in named("claude/-home-anna-shop/x.jsonl", order)
