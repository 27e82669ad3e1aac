"""Redaction: planted secrets of every kind in every field, and what must not be touched.

Secrets are made at run time from parts, so that no scanner of repositories takes this file for a leak.
"""

from __future__ import annotations

import base64
import concurrent.futures
import functools
import json
import multiprocessing
import os
import pickle
import random
import re
import shlex
import socket
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionlens.model import (
    KEPT,
    LONG,
    Call,
    Changed,
    File,
    Gap,
    Message,
    Reasoning,
    Repair,
    Session,
    Subtask,
    Text,
    TextPart,
    Trouble,
    Unread,
    content,
)
from sessionlens.redact import PSEUDONYM, RedactOptions, personal, redact, rescan

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ALNUM = _LETTERS + _LETTERS.upper() + "0123456789"
_B32 = _LETTERS.upper() + "234567"
_HEX = "0123456789abcdef"


def draw(n: int, alphabet: str = _ALNUM, seed: str = "") -> str:
    """Random-looking, the same on every run; holds a digit and a letter."""
    source = random.Random(f"{n}{alphabet}{seed}")
    while True:
        text = "".join(source.choice(alphabet) for _ in range(n))
        if re.search(r"\d", text) and re.search(r"[A-Za-z]", text):
            return text


def _pem(kind: str, lines: int, seed: str) -> str:
    body = "\n".join(draw(64, seed=f"{seed}{i}") for i in range(lines))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"


PW = draw(12, seed="pw")
ODD = "Zx9!" + draw(6, seed="odd") + "#q"

# kind: (text with the secret in it, the secret). The secret must not survive, the text around it must.
PLANTED: dict[str, tuple[str, str]] = {}


def plant(name: str, template: str, secret: str) -> None:
    PLANTED[name] = (template.replace("§", secret), secret)


# Tokens of vendors
for _name, _prefix, _rest in (
    ("github-pat", "gh" + "p_", draw(36)),
    ("github-oauth", "gh" + "o_", draw(36)),
    ("github-app", "gh" + "s_", draw(36)),
    ("github-fine", "github" + "_pat_", draw(22) + "_" + draw(59)),
    ("gitlab-pat", "glp" + "at-", draw(20)),
    ("gitlab-runner", "glr" + "t-", draw(20)),
    ("npm", "np" + "m_", draw(36)),
    ("pypi", "pyp" + "i-AgEIcHlwaS5vcmc", draw(70)),
    ("docker", "dckr" + "_pat_", draw(27)),
    ("huggingface", "h" + "f_", draw(34)),
    ("slack-bot", "xox" + "b-123456789012-1234567890123-", draw(24)),
    ("slack-user", "xox" + "p-123456789012-123456789012-123456789012-", draw(32, _HEX)),
    ("anthropic", "sk-" + "ant-api03-", draw(93) + "AA"),
    ("openai-project", "sk-" + "proj-", draw(74) + "T3Blbk" + "FJ" + draw(74, seed="b")),
    ("openai-old", "sk" + "-", draw(48)),
    ("openrouter", "sk-" + "or-v1-", draw(64, _HEX)),
    ("stripe-live", "sk_" + "live_", draw(24)),
    ("stripe-restricted", "rk_" + "live_", draw(24)),
    ("stripe-hook", "whs" + "ec_", draw(32)),
    ("sendgrid", "S" + "G.", draw(22) + "." + draw(43)),
    ("google-api", "AI" + "za", draw(35)),
    ("google-oauth", "ya" + "29.", draw(60)),
    ("google-secret", "GOC" + "SPX-", draw(28)),
    ("google-code", "4/" + "0A", draw(70)),
    ("shopify", "shp" + "at_", draw(32, _HEX)),
    ("digitalocean", "dop" + "_v1_", draw(64, _HEX)),
    ("linear", "lin" + "_api_", draw(40)),
    ("vault", "hv" + "s.", draw(95)),
    ("netlify", "nf" + "p_", draw(40)),
    ("supabase", "sb" + "p_", draw(40, _HEX)),
    ("groq", "gs" + "k_", draw(52)),
    ("replicate", "r" + "8_", draw(37)),
    ("perplexity", "pp" + "lx-", draw(48)),
    ("postman", "PM" + "AK-", draw(24, _HEX) + "-" + draw(34, _HEX)),
    ("figma", "fig" + "d_", draw(40)),
    ("doppler", "dp" + ".pt.", draw(43)),
    ("rubygems", "ruby" + "gems_", draw(48, _HEX)),
    ("newrelic", "NR" + "AK-", draw(27, _B32)),
    ("grafana", "gl" + "sa_", draw(32) + "_" + draw(8, _HEX)),
    ("age", "AGE-SEC" + "RET-KEY-1", draw(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")),
    ("atlassian", "ATA" + "TT3xFfGF0", draw(180)),
    ("tailscale", "tskey" + "-auth-", draw(17) + "-" + draw(32)),
    ("aws-key-id", "AK" + "IA", draw(16, _B32)),
    ("aws-session-id", "AS" + "IA", draw(16, _B32)),
    ("alibaba", "LT" + "AI", draw(20)),
    ("twilio", "S" + "K", draw(32, _HEX)),
    ("databricks", "da" + "pi", draw(32, _HEX)),
    ("telegram-bot", "1234567890:A" + "A", draw(33)),
):
    plant(_name, "the deploy used § until today", _prefix + _rest)
plant("aws-secret", "aws_secret_access_key = §", draw(40))
plant("aws-configure", "aws configure set aws_secret_access_key § --profile prod", draw(40, seed="c"))
plant("aws-session-token", "AWS_SESSION_TOKEN=§", "IQoJ" + draw(200))
plant("jwt", "got § back", "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NSJ9." + draw(43))
plant("slack-hook", "https://hooks.slack.com/services/§", f"T{draw(8)}/B{draw(8)}/{draw(24)}")
plant("discord-hook", "curl https://discord.com/api/webhooks/§", f"123456789012345678/{draw(68)}")
plant(
    "azure-storage",
    "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=§;EndpointSuffix=y",
    draw(86) + "==",
)
plant(
    "azure-bus",
    "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=r;SharedAccessKey=§",
    draw(43) + "=",
)
plant("sas", "https://x.blob.core.windows.net/c?sv=2022-11-02&sig=§&se=2026", draw(43) + "%3D")
plant("presigned", "https://b.s3.amazonaws.com/k?X-Amz-Signature=§", draw(64, _HEX))
plant("wireguard", "PrivateKey = §", base64.b64encode(draw(32).encode()).decode())
plant("otp-seed", "otpauth://totp/x:y?secret=§&issuer=x", draw(16, _B32))
plant("pem-rsa", "cat key\n§\ndone", _pem("RSA ", 12, "rsa"))
plant("pem-short", "§", _pem("EC ", 2, "ec"))
plant("pem-openssh", "§", _pem("OPENSSH ", 6, "ssh"))
plant("pem-tiny", "key: §", "-----BEGIN PRIVATE KEY-----\n" + draw(24) + "\n-----END PRIVATE KEY-----")
plant("pem-escaped", '{"private_key": "§"}', _pem("", 6, "esc").replace("\n", "\\n"))
plant("pem-cut", "§", _pem("RSA ", 8, "cut")[:400])
plant("kubeconfig", "    client-key-data: §", base64.b64encode(_pem("RSA ", 4, "kc").encode()).decode())
# Passwords in commands
plant("sshpass", "sshpass -p § ssh root@db1 uptime", PW)
plant("sshpass-quoted", "sshpass -p '§' ssh root@db1 uptime", ODD)
plant("sshpass-attached", "sshpass -p§ ssh root@db1", PW)
plant("sshpass-env", "SSHPASS=§ sshpass -e ssh root@db1", PW)
plant("mysql-short", "mysql -h db1 -u root -p§ shop -e 'select 1'", PW)
plant("mysql-quoted", "mysql -uroot -p'§' shop", ODD)
plant("mysql-long", "mysqldump --password=§ shop > d.sql", PW)
plant("mysql-pwd", "MYSQL_PWD=§ mysql shop", PW)
plant("mysqladmin", "mysqladmin -u root password '§'", PW)
plant("pgpassword", "PGPASSWORD=§ psql -h db1 shop", PW)
plant("psql-url", "psql postgresql://app:§@db1:5432/shop", PW)
plant("redis-a", "redis-cli -h r1 -a § info", PW)
plant("mongo-p", "mongosh --host m1 -u admin -p § --eval 'rs.status()'", PW)
plant("curl-u", "curl -u admin:§ https://x.example/api", PW)
plant("curl-user", "curl -s --user 'admin:§' https://x.example/api", ODD)
plant("curl-bearer", 'curl -H "Authorization: Bearer §" https://x.example', draw(30))
plant("curl-basic", "curl -H 'Authorization: Basic §'", base64.b64encode(f"bob:{PW}".encode()).decode())
plant("curl-apikey", "curl -H 'X-Api-Key: §' https://x.example", draw(24))
plant("curl-cookie", "curl -b 'sessionid=§; theme=dark' https://x.example", draw(26))
plant(
    "curl-header-cookie",
    "curl -H 'Cookie: theme=dark; PHPSESSID=§' https://x.example",
    draw(26, _LETTERS + "0123456789"),
)
plant("set-cookie", "Set-Cookie: connect.sid=§; Path=/; HttpOnly", "s%3A" + draw(32) + "." + draw(43))
plant("gitlab-header", "curl --header 'PRIVATE-TOKEN: §' https://git.example/api/v4", draw(20))
plant("url", "git clone https://bob:§@git.example/x.git", PW)
plant("url-token", "git remote add o https://§@git.example/x.git", draw(40, _HEX))
plant("amqp-url", "BROKER=amqp://guest:§@mq:5672//", PW)
plant("redis-url", "REDIS_URL=redis://:§@r1:6379/0", PW)
plant("openssl-passin", "openssl rsa -in k.pem -passin pass:§ -out o.pem", PW)
plant("sudo-echo", "echo '§' | sudo -S systemctl restart nginx", PW)
plant("sudo-here", "sudo -S systemctl restart nginx <<< '§'", PW)
plant("chpasswd", "echo 'deploy:§' | chpasswd", PW)
plant("htpasswd", "htpasswd -b /etc/nginx/.htpasswd bob §", PW)
plant("htpasswd-n", "htpasswd -nbB bob §", PW)
plant("docker-login", "docker login -u bob -p § reg.example", PW)
plant("docker-stdin", "echo § | docker login -u bob --password-stdin reg.example", PW)
plant("docker-env", "docker run -d -e POSTGRES_PASSWORD=§ postgres:16", PW)
plant("build-arg", "docker build --build-arg NPM_TOKEN=§ .", PW)
plant("from-literal", "kubectl create secret generic s --from-literal=anything=§", PW)
plant("helm-set", "helm upgrade x ./c --set auth.rootPassword=§", PW)
plant("java-d", "java -Dspring.datasource.password=§ -jar a.jar", PW)
plant("vault-put", "vault kv put secret/app dsn=§", PW)
plant("ldap-w", "ldapsearch -x -D cn=admin,dc=x -w § -b dc=x", PW)
plant("keytool", "keytool -list -keystore k.jks -storepass §", PW)
plant("ssh-keygen", "ssh-keygen -t ed25519 -N '§' -f k", PW)
plant("gpg", "gpg --batch --passphrase § -d x.gpg", PW)
plant("7z", "7z x -p§ a.7z", PW)
plant("zip", "unzip -P § a.zip", PW)
plant("smb", "smbclient //fs/share -U bob%§", PW)
plant("ipmi", "ipmitool -I lanplus -H bmc1 -U admin -P § chassis status", PW)
plant("rabbit", "rabbitmqctl add_user app §", PW)
plant("sqlcmd", "sqlcmd -S db1 -U sa -P § -Q 'select 1'", PW)
plant("sqlplus", "sqlplus system/§@orcl", PW)
plant("net-user", "net user deploy § /add", PW)
plant("powershell", '$env:DB_PASSWORD = "§"', PW)
plant("powershell-secure", "ConvertTo-SecureString '§' -AsPlainText -Force", PW)
plant("cmd-set", "set DB_PASSWORD=§", PW)
plant("wifi", "nmcli device wifi connect home password §", PW)
plant("ansible", "ansible all -m ping -e ansible_become_pass=§", PW)
plant("expect", 'expect "assword:"; send "§\\r"', PW)
plant("option", "./deploy.sh --token § --env prod", PW)
plant("openssl-passwd", "openssl passwd -6 §", PW)
plant("passwd-twice", 'printf "§\\n§\\n" | passwd root', PW)
plant("dockerfile-env", "ENV DB_PASSWORD §", PW)
plant("csh", "setenv DB_PASSWORD §", PW)
plant("php-define", "define('DB_PASSWORD', '§');", PW)
plant("getenv-default", 'os.getenv("API_KEY", "§")', draw(32))
plant("cifs", "mount -t cifs //fs/s /m -o username=bob,password=§,vers=3", PW)
plant("mc", "mc alias set s3 https://s3.example KEYNAME §", PW)
# Passwords in files
plant("env-file", "DB_HOST=db1\nDB_PASSWORD=§\nDB_PORT=5432", PW)
plant("env-weak", "POSTGRES_PASSWORD=§", "brain" + "explore")
plant("secret-key", "SECRET_KEY='§'", draw(40))
plant("jwt-secret", "JWT_SECRET=§", draw(32))
plant("json", '{"user": "bob", "password": "§"}', PW)
plant("json-weak", '{"password": "§"}', "let" + "mein")
plant("json-escaped", '"{\\"password\\": \\"§\\"}"', PW)
plant("json-api", '{"apiKey": "§"}', draw(32))
plant("yaml", "db:\n  password: §\n  port: 5432", PW)
plant("yaml-weak", "db:\n  password: §\n  port: 5432", "sonnen" + "blume")
plant("yaml-env", "- name: DB_PASSWORD\n  value: §", PW)
plant("ecs-env", '{"name":"DB_PASSWORD","value":"§"}', PW)
plant("k8s-secret", "data:\n  password: §", base64.b64encode(PW.encode()).decode())
plant("ini", "[client]\nuser=root\npassword=§\n", PW)
plant("properties", "spring.datasource.password=§", PW)
plant("xml", "<db><password>§</password></db>", PW)
plant("xml-add", '<add key="DbPassword" value="§"/>', PW)
plant("toml", 'password = "§"', PW)
plant("terraform", '  master_password      = "§"', PW)
plant("ado", "Server=db1;User Id=sa;Password=§;Encrypt=true", PW)
plant("dsn", "host=db1 user=app password=§ dbname=shop", PW)
plant("netrc", "machine git.example login bob password §", PW)
plant("pgpass", "db1:5432:shop:app:§", PW)
plant("htpasswd-line", "bob:§", "$apr1$" + draw(8) + "$" + draw(22))
plant("shadow", "root:§:19800:0:99999:7:::", "$6$" + draw(16) + "$" + draw(86))
plant("bcrypt", "hash § stored", "$2y$10$" + draw(53))
plant(
    "docker-config",
    '{"auths": {"r.example": {"auth": "§"}}}',
    base64.b64encode(f"bob:{PW}".encode()).decode(),
)
plant("npmrc", "//registry.npmjs.org/:_authToken=§", draw(36))
plant("redis-conf", "requirepass §", PW)
plant("sql-identified", "CREATE USER 'app'@'%' IDENTIFIED BY '§';", PW)
plant("sql-role", "ALTER ROLE app WITH LOGIN PASSWORD '§';", PW)
plant("python", 'conn = connect(host="db1", password="§")', PW)
plant("header-json", '{"headers": {"Authorization": "Bearer §"}}', draw(40))
plant("query", "GET /v1/x?access_token=§&page=2", draw(30))
plant("jwk", '{"kty":"EC","crv":"P-256","x":"abc","d":"§"}', draw(43))
# Labels in other languages, prose
plant("prose", "the root password is §, please keep it", PW)
plant("prose-quoted", 'The password is "§".', "abra" + "cadabra")
plant("beside", "login with password § please", "Aa1" + PW)
plant("token-beside", "use token § for that", "Ab19" + draw(20))
plant("german", "Passwort: §", "Sommer" + "2024x")
plant("french", "mot de passe : §", "Ete" + "2024xy")
plant("spanish", "contraseña: §", "Verano" + "2024x")
plant("portuguese", "senha: §", "Verao" + "2024x")
plant("russian", "Пароль: §", "Leto" + "2024xy")
plant("russian-cyrillic", "пароль: §", "Лето" + "2024ж")
plant("chinese", "密码：§", "xia" + "2024tian")
plant("japanese", "パスワード: §", "natsu" + "2024x")
plant("korean", "비밀번호: §", "yeoreum" + "2024")
plant("turkish", "Şifre: §", "yaz" + "2024xy")
plant("polish", "Hasło: §", "lato" + "2024xy")
plant("use-as", "Use § as the database password for now", PW)
plant("value-first", "§ is the new admin password.", PW)
plant("value-first-german", "Nimm § als Passwort", PW)
plant("login-slash", "login admin / §", PW)
plant("login-with", "Log in as admin with §", PW)

# What editors write
plant("sed-any", "sed -i 's/password: .*/password: §/; s/^user: .*/user: bob/' app.yml", PW)
plant("sed-anchored", "sed -i 's/^password:.*/password: §/' app.yml", PW)
plant("sed-no-blank", "sed -i 's/password:/password: §/' app.yml", PW)
plant("sed-pipe", "sed 's|db_password=.*|db_password=§|g' app.yml", PW)
plant("sed-hash", "sed 's#api_key = .*#api_key = §#' app.yml", "Ab19" + draw(16))
plant("sed-comma", "sed 's,token: [^ ]*,token: §,' app.yml", "Ab19" + draw(16))
plant("sed-several", "sed -e 's/^a=.*/a=b/' -e 's/^secret=.*/secret=§/' app.env", "Ab19" + draw(16))
plant("sed-space", "sed -i 's/^#\\?RootPassword .*/RootPassword §/' app.conf", PW)
plant("sed-marker", "sed -i s/__DB_PASSWORD__/§/g app.yml", PW)
plant("sed-marker-behind", "sed -e 's/a/b/' -e 's/@X@/y/' -e 's/%API_TOKEN%/§/' app.yml", "Ab19" + draw(16))
plant("sed-address", "sed -i '/^password/s/=.*/=§/' app.ini", PW)
plant("sed-slash", "sed -i 's/password: .*/password: §/' app.yml", "Pa\\\\/" + "ss9Word")
plant("sed-xml", "sed -i 's|<password>.*</password>|<password>§</password>|' app.xml", PW)
plant("should-be", "The DB password should be §", "Aa1" + PW)
plant("pw-is", "pw is §", PW)
plant("sed-group", "sed -E -i 's/^(password: ).*/\\1§/' app.yml", PW)
plant("snmp-community", "snmpget -v2c -c § -Oqv 10.7.3.20 sysUpTime.0", PW)
plant("sed-old-value", "sed -i 's/password: §/password: changeme/' app.yml", PW)
plant("sed-change", "sed -i '/^password:/c\\password: §' app.yml", PW)
plant("perl-slash", "perl -pi -e 's/password=.*/password=§/' app.ini", PW)
plant("perl-braces", "perl -pi -e 's{password: .*}{password: §}' app.yml", PW)
plant("awk-gsub", "awk '{gsub(/password: .*/, \"password: §\")}1' app.yml", PW)
plant("awk-marker", "awk '{sub(/__DB_PASSWORD__/, \"§\")}1' app.yml", PW)
plant("vim", "vim -c ':%s/password = .*/password = §/g' -c wq app.ini", PW)
plant("re-sub", "re.sub(r'password: .*', 'password: §', text)", PW)
plant("str-replace", "text.replace('__DB_PASSWORD__', '§')", PW)
plant("yq", "yq -i '.db.password = \"§\"' app.yml", PW)
plant("jq-update", "jq '.db.password |= \"§\"' app.json", PW)
plant("jq-arg", "jq --arg password § '.password = $password' app.json", PW)


def everywhere(text: str) -> Session:
    """A session with the text in every field that a log can fill."""
    call = Call(
        id="call_1",
        name="bash",
        input=Text(json.dumps({"command": text, "nested": [{"again": json.dumps({"x": text})}]})),
        output=Text("before\n" + text + "\nafter"),
        error=Text(text),
        spilled=text,
        child="ses_child",
    )
    parts = (
        TextPart(text=Text(text)),
        TextPart(text=Text("```\n" + text + "\n```"), synthetic=True),
        Reasoning(text=Text("thinking of " + text)),
        call,
        Subtask(agent=text, prompt=Text(text)),
        File(name=text, mime=text),
        Changed(files=("a.py", text)),
        Unread(reason=text),
    )
    message = Message(
        id="msg_1",
        index=0,
        role="assistant",
        parts=parts,
        agent=text,
        model=text,
        finish=text,
        error=Trouble(name=text, text=text),
    )
    child = Session(
        id="ses_child",
        parent="ses_1",
        source_format="t",
        messages=(Message(index=0, role="user", parts=(TextPart(text=Text(text)),)),),
    )
    return Session(
        id="ses_1",
        source_format="test",
        title=text,
        directory=text,
        client=text,
        client_version=text,
        messages=(message,),
        children=(child,),
        gaps=(Gap(reason=text),),
        repairs=(Repair(kind=text),),
    )


def one(text: str, **fields: Any) -> Session:
    return Session(
        id="ses_1",
        source_format="test",
        messages=(Message(index=0, role="user", parts=(TextPart(text=Text(text)),)),),
        **fields,
    )


def said(session: Session) -> str:
    part = session.messages[0].parts[0]
    assert isinstance(part, TextPart)
    return part.text.whole()


def strings(value: Any) -> Iterator[str]:
    """Every string within, those of JSON inputs decoded as well."""
    if isinstance(value, str):
        yield value
        if value.startswith(("{", '"')):
            try:
                inner = json.loads(value)
            except ValueError:
                return
            if inner != value:
                yield from strings(inner)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from strings(key)
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def test_there_are_enough_kinds() -> None:
    assert len(PLANTED) >= 150


@pytest.mark.parametrize("kind", PLANTED)
def test_planted_secret_is_gone_from_every_field(kind: str) -> None:
    text, secret = PLANTED[kind]
    session = everywhere(text)
    clean, redactions = redact(session)
    left = [s for s in strings(content(clean)) if secret in s or (len(secret) > 40 and secret[8:38] in s)]
    assert not left
    repairs = [repair.kind for repair in clean.repairs]
    assert not any(secret in r for r in repairs)
    call = clean.messages[0].calls[0]
    arguments = call.arguments()
    assert set(arguments) == {"command", "nested"}, "the input is still the same JSON object"
    assert json.loads(arguments["nested"][0]["again"]).keys() == {"x"}
    fields = {place.field for place in redactions.places}
    assert {
        "text", "input", "output", "error", "spilled", "prompt", "agent", "name", "mime", "files", "reason", "title",
        "directory", "client", "client_version", "gaps", "repairs", "model", "finish",
    } <= fields  # fmt: skip
    assert {place.session for place in redactions.places} == {"ses_1", "ses_child"}
    assert redactions.total == len(redactions.places) == sum(redactions.by_kind.values())


@pytest.mark.parametrize("kind", PLANTED)
def test_one_secret_has_one_name(kind: str) -> None:
    text, _ = PLANTED[kind]
    clean, redactions = redact(everywhere(text))
    names = {place.name for place in redactions.places}
    expected = 1
    assert len(names) == expected, names
    assert all(PSEUDONYM.fullmatch(name) for name in names)
    again, more = redact(clean)
    assert more.total == 0, "names that stand for secrets are no secrets"
    assert again is clean


@pytest.mark.parametrize("kind", [k for k in PLANTED if k != "passwd-twice"])
def test_text_around_a_secret_stays(kind: str) -> None:
    text, secret = PLANTED[kind]
    clean, _ = redact(one(text))
    before, _, behind = text.partition(secret)
    result = said(clean)
    assert result.startswith(before)
    assert result.endswith(behind)


SHELL = (
    "sshpass -p § ssh root@h", "mysql -uroot -p§ shop", "mysql -uroot -p'§' shop", 'curl -H "Authorization: Bearer §" https://x',
    "PGPASSWORD=§ psql -h db", "curl -u bob:§ https://x", "psql postgresql://u:§@h/d", "echo '§' | sudo -S id",
)  # fmt: skip


@pytest.mark.parametrize("template", SHELL)
def test_commands_keep_their_words(template: str) -> None:
    line = template.replace("§", PW)
    clean, _ = redact(one(line))
    assert PW not in said(clean)
    assert len(shlex.split(said(clean))) == len(shlex.split(line))
    assert not set(PSEUDONYM.findall(said(clean))[0]) & set("[]{}*?!$\"'`\\<>|&;() \t\n#~")


def test_names_are_stable_and_numbered_by_first_appearance() -> None:
    first, second = draw(14, seed="1"), draw(14, seed="2")
    texts = (
        f"DB_PASSWORD={first}",
        f"mysql -uroot -p{second} x",
        f"psql postgres://u:{first}@h/d",
        f"it was {second}, no label",
    )
    session = Session(
        id="s",
        source_format="t",
        messages=tuple(
            Message(index=i, role="user", parts=(TextPart(text=Text(t)),)) for i, t in enumerate(texts)
        ),
    )
    clean, redactions = redact(session)
    result = [m.parts[0].text.whole() for m in clean.messages]  # type: ignore[union-attr]
    assert result == [
        "DB_PASSWORD=REDACTED-password-1",
        "mysql -uroot -pREDACTED-password-2 x",
        "psql postgres://u:REDACTED-password-1@h/d",
        "it was REDACTED-password-2, no label",
    ]
    assert redactions.by_kind == {"password": 4}
    assert redactions.distinct == {"password": 2}
    assert [(p.message_index, p.part, p.field, p.name) for p in redactions.places] == [
        (0, 0, "text", "REDACTED-password-1"),
        (1, 0, "text", "REDACTED-password-2"),
        (2, 0, "text", "REDACTED-password-1"),
        (3, 0, "text", "REDACTED-password-2"),
    ]
    assert redact(session) == (clean, redactions)


@pytest.mark.parametrize(
    "spelling",
    [
        lambda s: s,
        lambda s: json.dumps({"log": "line\n" + s + "\n"}),
        lambda s: json.dumps(json.dumps({"log": "line\n" + s})),
        lambda s: base64.b64encode(s.encode()).decode(),
        lambda s: "q=" + s.replace("/", "%2F").replace("+", "%2B"),
    ],
)
def test_a_known_secret_goes_wherever_it_stands(spelling: Any) -> None:
    secret = draw(9) + "/" + draw(5) + "+" + draw(4)
    first = one(f"MYSQL_PWD={secret}")
    session = Session(
        id="s",
        source_format="t",
        messages=(
            *first.messages,
            Message(index=1, role="user", parts=(TextPart(text=Text(spelling(secret))),)),
        ),
    )
    clean, _ = redact(session)
    part = clean.messages[1].parts[0]
    assert isinstance(part, TextPart)
    assert "REDACTED-password-1" in part.text.whole()
    assert secret not in part.text.whole()


def test_a_short_ordinary_word_is_replaced_only_where_it_is_the_secret() -> None:
    clean, _ = redact(one("mysql -uroot -proot shop\nlogged in as root"))
    assert said(clean) == "mysql -uroot -pREDACTED-password-1 shop\nlogged in as root"


PLACEHOLDERS = (
    "mysql -p$DB_PASSWORD -u root", 'mysql -p"$PW" x', "mysql -u root -p shop", "DB_PASSWORD=${DB_PASSWORD}", "DB_PASSWORD=$(cat /run/pw)",
    "password: <password>", "password: ****", "password: xxxxxxxx", "PASSWORD=changeme", "API_KEY=your-api-key", "API_KEY=<YOUR_KEY>",
    "SIGNING_KEY=replace-with-openssl-rand-hex-32", "JWT_SECRET=generate-with-openssl", "SESSION_SECRET=use-a-long-random-string", "DB_PASSWORD=set-me",
    "DB_PASSWORD=fill_me_in", "SECRET_KEY=must-be-32-chars", "API_KEY=not-a-real-key", "DB_PASSWORD=changethis", "SIGNING_KEY=ersetzen-durch-openssl-rand",
    "API_KEY=remplacer-par-une-vraie-cle",
    "token: ${{ secrets.TOKEN }}", "password: {{ db_password }}", "Authorization: Bearer $TOKEN", "Authorization: Bearer <token>",
    "curl -u $USER:$PASS https://x", "postgres://user:password@localhost/db", "postgres://$U:$P@h/d", "https://u:***@h/x",
    "password: str", "password: string;", "token: Token", "password: Optional[str] = None", "token = get_token()",
    "password=password", "connect(password=pw)", "const token = req.headers.authorization", "apiKey: process.env.OPENAI_API_KEY!",
    "api_key=os.environ['KEY']", '"password": "Password"', '"type": "password"', '<input type="password" name="password">',
    "Password: ", "password is required", "password was incorrect", "the token is invalid", "enter password for root:", "sudo: NOPASSWD: ALL",
    "max_tokens: 4096", "token: 512", "eos_token: </s>", "next_page_token: eyABC123def456", "pass: 3, fail: 2", "bypass: true", "tests: 5 pass",
    "password_file: /run/secrets/db", "SSH_KEY=/home/x/.ssh/id_rsa", "secretName: my-app-tls", "secretKeyRef: {name: app, key: password}",
    "sk-learn-contrib", "npm_config_registry=https://registry.npmjs.org", "hf_hub_download(repo_id)", "key-value-store", "-----BEGIN CERTIFICATE-----",
    "grep -r 'BEGIN RSA PRIVATE KEY' .", "curl https://x.example:8080/@scope/pkg", "ssh git@github.com", "http://localhost:3000/a@b",
    "docker run -p 8080:80 nginx", "mkdir -p /srv/app", "ssh -p 2222 root@h", "psql -p 5433", "curl -sS -o x https://h", "redis-cli -h r1 ping",
    "scp -P 2222 a h:b", "tar -czpf a.tgz x", "mysql --version", "AUTH failed", "password Sha256", "token OAuth2AccessToken", "token 3f786850e387550fdab836ed7e6dc881de23001b", "os.getenv('API_KEY', 'none')", "git config user.name bob", "secret: true", "unzip -o a.zip -d x",
    "sed -i 's/PasswordAuthentication yes/PasswordAuthentication no/' sshd_config", "sed -i 's/password: .*/password: $PW/' f",
    "sed -i 's/^passwd: .*/passwd: files sss/' nsswitch.conf", "sed 's/max_tokens=10/max_tokens=2000/' f", "sed 's/password=.*/password=***/' f",
    "sed -E 's/(token=)[^&]*/\\1REDACTED/' f", "sed -i 's/getToken/fetchToken2/' f", "text.replace('token', 'accessToken2')",
    "sed -n '/password: .*/p' f", "sed -i 's/secret: old-secret/secret: app-secret-v2/' f", "sed -i 's/^password: .*//' f",
    "sed -i 's/password: .*/password: {{ db_password }}/' f", "sed -i 's/user: .*/user: deploy42x/' f", "sed -i 's/token_type: a1b2c3d4e5/token_type: f6g7h8j9k0/' f",
    "use bcrypt as the password hash", "use SHA256 as the password", "log in as admin with the browser", "use Postgres15 as the token store",
    "account: prod/us-east-1", "credentials: see docs/setup-v2.md", "login page / dashboard2", "this is the password", "pw = pw[:-1]", "Sign in with OAuth2, PKCE256 works",
    "gcloud run services update mailer --update-secrets SMTP_PASSWORD=notifier-smtp:2", "gcloud run deploy api --set-secrets=DB_PASSWORD=db-pass:latest,API_KEY=key-store:14",
    "DB_PASSWORD=op://prod/db/password", "DB_PASSWORD=vault:secret/data/db#Passw0rd1", "password: ${{ secrets.DB_PASSWORD1 }}", "PASSWORD=arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbC123",
    "DB_PASSWORD=ssm:/prod/db/pass1", "DB_PASSWORD=secretref:db-pass1", "secretKeyRef: {name: db-pass1, key: password}", "password: ref+vault://secret/db1#pw",
    "log in as bob and run deploy-v2.3", "account 123456789012 / eu-west-1b", "log in to api-7f9c6bdf5d-x2k4q and restart",
    "snmpget -v2c -c public 10.7.3.20 sysUpTime.0", "snmpwalk -v2c -c publico -Oqv 10.7.3.21 ifDescr", "snmpset -v2c -c private 10.7.3.22 sysName.0 s sw1",
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "§ мій пароль sudo", "§ - пароль від сервера", "§ is the sudo password", "§ is my password for the server", "OK: § is the new password.",
        "§ ist mein sudo-Passwort", "§ es la contraseña de root", "§ est le mot de passe", "§ é a minha senha", "§ to moje hasło", "§是密码",
        "пароль: §", "пароль sudo §", "my sudo password is §", "mein Passwort ist §", "hasło: §", "la contraseña es §", "密码是 §",
        "my password §", "sudo password § ", "пароль для sudo §", "the password is `§`, use it",
    ],
)  # fmt: skip
def test_a_bare_number_beside_the_word_goes(text: str) -> None:
    secret = draw(4, "0123456789a").replace("a", "7") + "52"
    assert secret not in said(redact(one(text.replace("§", secret)))[0])


@pytest.mark.parametrize(
    "text",
    [
        "3000 is the port, the password is in the vault", "line 1204 is the password field", "1204: password", "1204-password", "404 my password page",
        "2024 password policy", "1024 is the password length", "the password is 1234 characters long", "the password is 4096 bits", "In 2024 the password was changed",
        "password attempts 1000", "passwords 2048", "8080 - password reset page", "PASSWORD_MIN_LENGTH 1234", "  1204\tthe password",
        "5432 is the port of the password store", "1200 the users without password",
    ],
)  # fmt: skip
def test_a_number_that_is_no_password_stays(text: str) -> None:
    assert said(redact(one(text))[0]) == text


TOLD = {
    "en": ("the password is §", "The password for the staging database is §.", 'my pw is "§"', "§ is the new password", "use § as the root password", "The password was changed to §.", "Here it is. The password:\n\n    §\n", "log in with password: §", "(the password is §)"),
    "de": ("Das Kennwort lautet §.", "nimm § als Passwort", "Das Datenbankpasswort ist jetzt „§“.", "Das Passwort wurde auf § gesetzt", "Passwort lautet:\n§", "PASSWORT FÜR ROOT: §"),
    "nl": ("Het wachtwoord van de server luidt §.", "gebruik § als wachtwoord", "wachtwoord voor root: §", "het databasewachtwoord is '§'", "het wachtwoord is:\n§"),
    "sv": ("lösenordet är §", "databaslösenordet är §", "Lösenordet till servern är §, säg det inte", "använd § som lösenord", "§ är det nya lösenordet", "LÖSENORD: §"),
    "da": ("adgangskoden er §.", "kodeordet er nu \"§\"", "brug § som adgangskode", "§ er den nye adgangskode", "adgangskoden er:\n§"),
    "no": ("passordet er §.", "passordet er nå «§»", "bruk § som passord", "§ er det nye passordet", "logg inn med passordet §"),
    "fr": ("Le mot de passe du serveur est §.", "utilise § comme mot de passe", "§ est le nouveau mot de passe", "mot de passe pour root : §", "le mot de passe est :\n§"),
    "es": ("La contraseña del servidor es §.", "usa § como contraseña", "la clave de acceso es §", "la contraseña ahora es \"§\"", "CONTRASEÑA: §"),
    "pt": ("a senha do servidor é §.", "use § como senha", "§ é a nova senha", "a palavra-passe agora é §", "a senha é:\n§"),
    "it": ("la password è §", "La parola d'ordine è §.", "la password ora è «§»", "usa § come password", "la password del server è §, non dirla"),
    "ro": ("parola este §", "Parola serverului este §.", "folosește § ca parolă", "parola pentru root: §", "parola mea este „§”"),
    "pl": ("Hasło do serwera to §.", "moje hasło brzmi §", "użyj § jako hasła", "hasło jest teraz „§”", "HASŁO: §"),
    "cs": ("heslo je §.", "Heslo k serveru je §", "použij § jako heslo", "heslo bylo změněno na §", "heslo je:\n§"),
    "ru": ("пароль §.", "мой пароль — §", "новый пароль теперь «§»", "используй § как пароль", "ПАРОЛЬ: §", "пароль:\n§"),
    "uk": ("Пароль до сервера — §.", "мій пароль це §", "§ — новий пароль", "зайди з паролем §", "пароль такий: §"),
    "bg": ("паролата е §", "Паролата за сървъра е §.", "използвай § като парола", "новата парола е §", "паролата е:\n§"),
    "el": ("ο κωδικός είναι §", "Ο κωδικός πρόσβασης του διακομιστή είναι §.", "§ είναι ο νέος κωδικός", "ο κωδικός μου είναι «§»", "ΚΩΔΙΚΌΣ: §"),
    "tr": ("parolası §'tir", "Sunucunun şifresi §.", "parola olarak § kullan", "şifre § olsun", "ŞİFRE: §"),
    "fi": ("salasana on §", "Palvelimen salasana on §.", "tietokannan salasana on §", "§ on uusi salasana", "salasana on:\n§"),
    "hu": ("a jelszó §", "A szerver jelszava §.", "az új jelszó ez: §", "JELSZÓ: §", "a jelszó:\n§"),
    "ar": ("كلمة المرور هي §", "كلمة السر هي §.", "كلمة مرور الخادم هي §", "§ هي كلمة المرور", "كلمة المرور هي:\n§"),
    "he": ("הסיסמה היא §", "סיסמת השרת היא §.", "הסיסמה החדשה היא \"§\"", "§ היא הסיסמה", "הסיסמה: §"),
    "fa": ("رمز عبور § است", "گذرواژه § است.", "رمز عبور: §", "رمز عبور جدید §", "رمز عبور:\n§"),
    "hi": ("पासवर्ड § है।", "सर्वर का पासवर्ड § है", "नया पासवर्ड: §", "पासवर्ड है §", "§ नया पासवर्ड है"),
    "vi": ("Mật khẩu của máy chủ là §.", "mật khẩu mới là \"§\"", "dùng § làm mật khẩu", "MẬT KHẨU: §", "mật khẩu là:\n§"),
    "id": ("kata sandi adalah §", "Kata sandi server adalah §.", "sandinya §", "pakai § sebagai kata sandi", "kata sandinya adalah:\n§"),
    "zh": ("密码是§", "服务器的密码是§。", "新密码是“§”", "密码为 §，请保密", "用§作为密码", "密码是：\n§"),
    "ja": ("パスワードは§です", "新しいパスワードは「§」です。", "§がパスワードです", "サーバーのパスワードは§になります", "パスワード：§"),
    "ko": ("비밀번호는 §입니다", "새 비밀번호는 \"§\"", "§가 비밀번호입니다", "비번은 §", "비밀번호는:\n§"),
    "th": ("รหัสผ่านคือ§", "รหัสผ่านใหม่คือ §", "รหัสผ่าน: §", "รหัสผ่านเป็น §", "(รหัสผ่าน: §)"),
    "et": ("parool on §", "Andmebaasi parool on §.", "logi sisse parooliga §", "uus parool: §", "PAROOL: §"),
    "lv": ("parole ir §", "Datubāzes parole tagad ir §.", "jaunā parole: §", "paroles frāze ir §", "parole ir:\n§"),
    "lt": ("slaptažodis yra §", "Duomenų bazės slaptažodis yra §.", "naudok § kaip slaptažodį", "naujas slaptažodis: §", "SLAPTAŽODIS: §"),
    "hr": ("lozinka je §", "Lozinka za bazu je §.", "koristi § kao lozinku", "nova lozinka: §", "zaporka glasi §"),
    "sl": ("geslo je §", "Geslo za bazo je §.", "uporabi § kot geslo", "novo geslo: §", "geslo je:\n§"),
    "ca": ("la contrasenya és §", "La contrasenya de la base és §.", "posa § com a contrasenya", "CONTRASENYA: §"),
    "gl": ("o contrasinal é §", "O contrasinal do servidor é §.", "usa § como contrasinal", "novo contrasinal: §"),
    "is": ("lykilorðið er §", "Lykilorðið að gagnagrunninum er §.", "aðgangsorðið er §", "LYKILORÐ: §"),
    "eu": ("pasahitza: §", "pasahitza hau da: §", "Zerbitzariaren pasahitza: §"),
    "sw": ("nenosiri ni §", "Nenosiri la hifadhidata ni §.", "neno la siri ni §", "nywila: §"),
    "ga": ("pasfhocal: §", "is é § an pasfhocal.", "is é § an focal faire"),
    "cy": ("y cyfrinair yw §", "y cyfrinair newydd yw §.", "cyfrinair: §"),
    "sq": ("fjalëkalimi është §", "Fjalëkalimi i ri është §.", "FJALËKALIMI: §"),
    "mk": ("лозинката е §", "Новата лозинка е §.", "користи § како лозинка", "лозинка: §"),
    "sr": ("лозинка је §", "Лозинка за базу је §.", "шифра за приступ је §"),
    "af": ("die wagwoord is §", "gebruik § as wagwoord", "die nuwe wagwoord is §."),
    "fil": ("ang password ay §", "ang bagong password ay §."),
    "ur": ("پاس ورڈ § ہے", "پاس ورڈ: §"),
    "bn": ("পাসওয়ার্ড হল §", "পাসওয়ার্ড: §"),
    "ta": ("கடவுச்சொல்: §", "கடவுச்சொல் ஆகும் §"),
    "te": ("పాస్‌వర్డ్: §", "ಪಾಸ್‌ವರ್ಡ್: §", "പാസ്‌വേഡ് ആണ് §"),
    "ka": ("პაროლი არის §", "პაროლი: §"),
    "hy": ("Գաղտնաբառն է §", "գաղտնաբառը § է", "գաղտնաբառ: §"),
    "az": ("parol budur §", "Parolu: §"),
    "kk": ("құпия сөз: §", "құпиясөз: §", "нууц үг нь §"),
    "de2": ("Als Kennwort nimmst du §.", "Als Passwort verwenden Sie bitte §."),
    "tr2": ("şifre § ile giriş yap", "yeni şifre: §"),
}  # fmt: skip
"""How a password is told, by language; ``§`` stands for it."""
PINS = (
    "the PIN is §", "die PIN lautet §.", "le code PIN est §.", "pinkoden är §", "PIN-koden er §", "de pincode is §", "kod PIN to §", "PIN je §", "пин-код §",
    "το PIN είναι §", "PIN kodu §", "PIN-koodi on §", "a PIN-kód §", "رمز PIN هو §", "קוד ה-PIN הוא §", "पिन § है", "PIN码是§", "暗証番号は§です", "PIN 번호는 §입니다",
    "mã PIN là §", "heslo je §", "lösenordet är §", "ο κωδικός είναι §", "salasana on §", "הסיסמה היא §", "كلمة المرور هي §", "§ is the PIN",
)  # fmt: skip


TOLD_TOGETHER = (
    "my password was §, but I changed it to ¤ yesterday", "We switched the vpn password from § to ¤ this morning.", "Пароль поменяли с § на ¤.",
    "Пароль був §, тепер ¤.", "密码从 § 改成了 ¤。", "パスワードを § から ¤ に変更しました。", "비밀번호를 §에서 ¤로 바꿨습니다.", "Heslo je teď §, staré bylo ¤.",
    "Le mot de passe était §, il est maintenant ¤.",
)  # fmt: skip
"""One secret that took the place of another, in one sentence."""
TOLD_BY_ITS_USE = (
    "As the admin password please set §.", "Log in with user deploy and § as the password.", "Nimm als Passwort für den Import bitte §.", "Comme mot de passe, mets § s'il te plaît.",
    "Como contraseña usa § en el servidor.", "Come password usa § sul router.", "Jako hasło wpisz §.", "Parooliks pane §.", "Salasanaksi laita §.", "§ şifresiyle gir.",
)  # fmt: skip


@pytest.mark.parametrize("text", TOLD_TOGETHER)
def test_both_of_two_passwords_of_a_sentence_go(text: str) -> None:
    first, second = "Larch77" + "Pond", "Aspen88" + "Creek"
    clean = said(redact(one(text.replace("§", first).replace("¤", second)))[0])
    assert first not in clean
    assert second not in clean


@pytest.mark.parametrize("text", TOLD_BY_ITS_USE)
def test_what_is_to_be_taken_as_the_password_goes(text: str) -> None:
    secret = "Gravel_" + "22x90Q"
    assert secret not in said(redact(one(text.replace("§", secret)))[0])


def test_words_joined_by_hyphens_are_a_pass_phrase_amid_a_sentence() -> None:
    secret = "correct-horse-" + "battery-staple-94"
    assert secret not in said(redact(one(f"Use the passphrase {secret} for the key."))[0])
    for text in (
        "Use the password of the deploy user on db-prod-west-02.",
        "As the password rotates on web-prod-east-01, use the vault.",
    ):
        assert said(redact(one(text))[0]) == text


@pytest.mark.parametrize("language", TOLD)
def test_a_password_told_in_prose_goes_in_every_language(language: str) -> None:
    # A word with a year, six random signs, a pass phrase, twelve random signs.
    for secret in ("Som" + "mar2026!", "q8!" + "Zt4", "correct-" + "horse-battery", "Zx9!" + "kLmQ7vR2"):
        texts = [text.replace("§", secret) for text in TOLD[language]]
        left = [text for text in texts if secret.rstrip("!") in said(redact(one(text))[0])]
        assert not left


@pytest.mark.parametrize(
    "text",
    [
        "my password used to be Sommer!2019x but I changed it to §", "We rotated the password from § to Wint!2026er yesterday", "the password was wrong, the new one is §",
        "Das Passwort war falsch, ich habe es auf § geändert", "la contraseña era otra, la cambié a §", "пароль был другим, сменил его на §",
    ],
)  # fmt: skip
def test_a_password_that_is_another_now_goes(text: str) -> None:
    secret = "Ke91!" + "tulip"
    assert secret not in said(redact(one(text.replace("§", secret)))[0])


@pytest.mark.parametrize(
    "text",
    [
        "zmieniłem hasło z § na ¤", "j'ai changé le mot de passe de § à ¤", "cambié la contraseña de § a ¤", "сменил пароль с § на ¤",
        "ho cambiato la password da § a ¤", "het wachtwoord is veranderd van § naar ¤", "şifreyi § yerine ¤ yaptım", "Das Passwort habe ich von § auf ¤ geändert",
    ],
)  # fmt: skip
def test_the_old_and_the_new_password_go(text: str) -> None:
    old, new = "Kp92!" + "vesper", "Lm44!" + "vesper"
    clean, redactions = redact(one(text.replace("§", old).replace("¤", new)))
    assert old not in said(clean)
    assert new not in said(clean)
    assert redactions.total == 2


def test_a_password_told_in_a_sentence_goes_where_it_is_repeated_bare() -> None:
    secret = "Kotkas" + "72!a"
    first = one(f"Serveri parool on {secret}.")
    for repeated in (
        f"psql -c 'select 1' && echo {secret}",
        f"out: {secret}",
        f"/tmp/{secret}.txt",
        f"x={secret}",
    ):
        later = Message(index=1, role="assistant", parts=(TextPart(text=Text(repeated)),))
        clean, _ = redact(Session(id="s", source_format="t", messages=(*first.messages, later)))
        part = clean.messages[1].parts[0]
        assert isinstance(part, TextPart)
        assert part.text.whole() == repeated.replace(secret, "REDACTED-password-1")


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Use the passphrase § for the key", "river-oak-tin" + "-5812"),
        ("With passphrase § you open the store", "maple-gate-ox" + "-12"),
        ('My pass phrase "§" unlocks the disk', "copper lantern " + "seven hills"),
        ("Log in with user deploy and § as the password.", "kestrel" + "Moor55"),
        ("§ şifresiyle giriş yap", "Kd5-" + "zzP67"),
        ("recovery code: §, keep it", "8fk2-99qa" + "-1mzx"),
        ("Wiederherstellungscode: §", "5tt2-kk90" + "-aa17"),
        ("my pin is §", "7391" + "04"),
        ("use basic auth with admin:§", "Kp92!" + "vesper"),
        ("the API token you need is §", "nq82hskw" + "p01mzbvt"),
    ],
)
def test_other_ways_to_tell_a_secret(text: str, secret: str) -> None:
    assert said(redact(one(text.replace("§", secret)))[0]).count(secret) == 0


@pytest.mark.parametrize("text", PINS)
def test_a_pin_told_in_prose_goes(text: str) -> None:
    secret = "47" + "1193"
    assert secret not in said(redact(one(text.replace("§", secret)))[0])


def test_a_sentence_without_blanks_goes_on_behind_the_password() -> None:
    for before, behind in (
        ("密码是", "，请保密"),
        ("パスワードは", "です"),
        ("비밀번호는 ", "입니다"),
        ("पासवर्ड ", "। अब"),
        ("كلمة المرور هي ", "، شكرا"),
    ):
        clean, _ = redact(one(before + "Zx9!" + "kLmQ7vR2" + behind))
        assert said(clean) == f"{before}REDACTED-password-1{behind}"


UNTOLD = (
    "the token is refreshed every 15min", "la clave es la primaria", "la clave es user_id2", "password is required", "the secret is mounted at /run/secrets/db2",
    "the secret is app-db-credentials", "пароль неверный, попытка 3 из 5", "пароль истёк 2026-01-04", "пароль не принят сервером web1.example.com", "пароль из 1204 символов",
    "senha é obrigatória (mínimo 8 caracteres)", "klíč je primární", "heslo je příliš krátké, minimum je 12 znaků", "heslo je uloženo v /etc/app/heslo.txt",
    "lösenordet är för kort (8 tecken)", "lösenordet är hashat med bcrypt2", "lösenordet är end-to-end-krypterat", "adgangskoden er mindst 12 tegn", "passordet er utløpt",
    "ο κωδικός σφάλματος είναι 1045", "ο κωδικός εξόδου είναι 137", "ο κωδικός είναι λάθος", "salasana on vähintään 12 merkkiä", "a jelszó legalább 12 karakter",
    "şifre en az 12 karakter olmalı", "1 Ocak 1970´den parolanın en son değiştiği güne kadar", "parola este obligatorie", "hasło musi mieć 12 znaków", "hasło to nie to", "הסיסמה חייבת להיות 12 תווים",
    "كلمة المرور قصيرة جدا 8", "पासवर्ड 12 अक्षर का है", "mật khẩu phải có 12 ký tự", "kata sandi minimal 12 karakter", "密码至少12个字符", "密码错误1045", "令牌是在2026年签发的",
    "パスワードは12文字以上です", "トークンは3600秒で失効します", "パスワードはすでに使用されています。", "비밀번호는 12자 이상입니다", "รหัสผ่านต้องมี 12 ตัวอักษร", "le mot de passe est trop court : 8 caractères",
    "das Passwort ist 90 Tage alt", "das Token ist bis 2027 gültig", "het wachtwoord is 90 dagen oud", "la password è di 12 caratteri", "la palabra clave es async2", "la parola chiave è async2",
    "the password is 12-character minimum", "the password is stored in DB_PASSWORD2", "the password is hashed with argon2id", "the token expires at 2026-02-11T14:03:10Z", "the token is base64-encoded",
    "the password is read-from-the-environment at start", "you can reset the password (``update-login-profile``) for the user", "Please enter the passphrase to%0Aprotect your new key",
    "password checksum 3f786850e387550fdab836ed7e6dc881de23001b", "use web1-prod as the login node", "deploy Web42X1a on the login host", "abc123 es la clave primaria", "password:\n  minLength: 12", "password:\n  - min12chars",
    "Files about the password:\n\nsrc/auth/Password2Hash.java", "token counts:\n15000", "a random token to avoid collisions:\n   `agentv/results/sync-2026-06-24T01-29-52Z-<rand6>`",
    "pin is 1204 on connector J4", "le mot de passe est passé de sha256 à argon2id", "cambié la contraseña de bcrypt12 a argon2id",
    "parool on vale, proovi uuesti", "parool on salvestatud hoidlas vault-2", "parole ir jāmaina reizi 90 dienās", "slaptažodis yra neteisingas", "lozinka je istekla", "lozinka je spremljena na web01.example.com",
    "geslo je shranjeno v /etc/app2.conf", "la contrasenya és massa curta", "o contrasinal é obrigatorio desde v2.3.1", "lykilorðið er rangt", "pasahitza okerra da", "nenosiri ni lazima", "tá an pasfhocal mícheart",
    "y cyfrinair yw'r maes gorfodol", "fjalëkalimi është gabim", "лозинката е зачувана во users_v2", "die wagwoord is verkeerd", "ang password ay mali sa db-07", "পাসওয়ার্ড ভুল", "პაროლი არასწორია", "գաղտնաբառը սխալ է", "құпия сөз қате",
    "als Kennwort nimmst du das aus dem Tresor", "şifresiyle ilgili sorun app-server-07 üzerinde", "the password helper moved from HashUtilV1 to HashUtilV2", "the password test failed, I changed it to test_login_v2",
    "I changed it to Zx9!kLmQ7vR2 at last", 'the password "must be at least twelve" is the message', "recovery codes are stored in recovery_codes_v2", "the password is the same; the image was changed to registry.local/app:v2.14.3-rc1",
    "the pin is GPIO17", "PIN 13 is the LED", "pin 4711 of the connector", "the PIN is 4-digit", "fd, token = probes.descriptors[-1]", "password: \\nnext",
)  # fmt: skip


@pytest.mark.parametrize("text", UNTOLD)
def test_a_sentence_that_tells_no_password_stays(text: str) -> None:
    assert said(redact(one(text))[0]) == text


def _spelled(pattern: str) -> Iterator[str]:
    """All that a pattern of ``told.toml`` matches; of what is open ended one example."""
    from re import _constants as codes  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]

    def every(items: Any) -> Iterator[str]:
        if not items:
            yield ""
            return
        (code, value), *rest = items
        if code is codes.LITERAL:
            heads = [chr(value)]
        elif code is codes.IN:
            heads = [chr(one) for kind, one in value if kind is codes.LITERAL]
        elif code is codes.BRANCH:
            heads = [head for branch in value[1] for head in every(list(branch))]
        elif code is codes.SUBPATTERN:
            heads = list(every(list(value[3])))
        else:
            assert code is codes.MAX_REPEAT, code
            assert value[:2] == (0, 1), pattern
            heads = ["", *every(list(value[2]))]
        for tail in every(rest):
            yield from (head + tail for head in heads)

    yield from every(list(parser.parse(pattern)))


def test_every_name_of_a_secret_is_reached_by_its_cue() -> None:
    from importlib.resources import files

    from sessionlens.cache import toml
    from sessionlens.redact import cut, scanner

    missing = []
    for row in toml(files("sessionlens.redact").joinpath("told.toml"))["row"]:
        for field in cut._KINDS:
            for pattern in row.get(field, ()):
                for name in _spelled(pattern):
                    spellings = (
                        {name} if "(?-i:" in pattern else {name, name.upper(), name[0].upper() + name[1:]}
                    )
                    for spelling in sorted(spellings):
                        text = f"{spelling} x"
                        cues = [h for h in scanner._scan("own", text.encode()) if h.rule.endswith(".told")]
                        if not any(h.start == 0 for h in cues) or cut.told_by().name.match(text) is None:
                            missing.append(spelling)
    assert not missing


WORD = "sun" + "flower"


@pytest.mark.parametrize(
    "text",
    [
        "NEO4J_AUTH: neo4j/§", "NEO4J_AUTH=neo4j/§", 'NEO4J_AUTH: "neo4j/§"', "docker run -e NEO4J_AUTH=neo4j/§ neo4j:5", "ELASTIC_AUTH=elastic:§",
        'driver = connect(uri, auth=("neo4j", "§"))', "requests.get(url, auth=('anna', '§'))", "POSTGRES_PASSWORD=§", "POSTGRES_PASSWORD: §",
        "the password is `§`", "Das Passwort ist `§`.", "psql postgres://anna:§@db/shop", "sshpass -p § ssh root@h", "tool --password § run",
        "cypher-shell -u neo4j -p § 'MATCH (n) RETURN n'", "neo4j-admin dbms set-initial-password §", "mongosh -u root -p § shop", "mysql -uroot -p§ shop",
        "couchbase-cli server-list -u anna -p §", "redis-cli -a § ping",
    ],
)  # fmt: skip
def test_an_ordinary_word_goes_where_only_a_password_can_stand(text: str) -> None:
    assert WORD not in said(redact(one(text.replace("§", WORD)))[0])


@pytest.mark.parametrize(
    "text",
    [
        "NEO4J_AUTH=none", "NEO4J_AUTH: neo4j/${NEO4J_PASSWORD}", "NEO4J_AUTH=neo4j/<password>", "X_AUTH=lib/oauth", "HTTP_AUTH=localhost:8080",
        "SSH_AUTH=/run/agent", 'auth=("user", "password")', "auth = (user, password)", "the password is `required`", "the password is `password_hash`",
        "the password is `hashed`", "the password is wrong", "password: required", "password_hash", "password is not set", "the password is `None`",
        "AUTH: jwt/session", "cypher-shell -u neo4j", "neo4j-admin dbms info",
    ],
)  # fmt: skip
def test_words_that_are_no_passwords_stay(text: str) -> None:
    assert said(redact(one(text))[0]) == text


@pytest.mark.parametrize(
    "value", ["correct-horse-battery-" + "staple", "change-Winter" + "2024", "replace7hX9" + "kQpL2", "set-7431-9922-" + "1188", "not-my-dog-" + "7731"]
)  # fmt: skip
def test_a_password_that_begins_like_an_order_goes(value: str) -> None:
    assert value not in said(redact(one(f"DB_PASSWORD={value}"))[0])


@pytest.mark.parametrize("text", PLACEHOLDERS)
def test_placeholders_types_and_names_stay(text: str) -> None:
    session = one(text)
    clean, redactions = redact(session)
    assert said(clean) == text
    assert clean is session
    assert redactions.total == 0


@pytest.mark.parametrize(
    "text",
    [
        "gcloud run deploy api --set-env-vars DB_PASSWORD=§",
        "gcloud run deploy api --set-secrets A=b:1 --set-env-vars DB_PASSWORD=§",
        "heroku config:set DB_PASSWORD=§",
        "DB_PASSWORD=vault:§",
    ],
)
def test_what_only_looks_like_a_reference_goes(text: str) -> None:
    secret = "Tr0ub4dor" + ":2"
    clean, redactions = redact(one(text.replace("§", secret)))
    assert redactions.total == 1
    assert "Tr0ub4" not in said(clean)


def _harmless(source: random.Random) -> Iterator[str]:
    def hexes(n: int) -> str:
        return "".join(source.choice(_HEX) for _ in range(n))

    def alnum(n: int) -> str:
        return "".join(source.choice(_ALNUM) for _ in range(n))

    vendor = source.choice(
        [
            "heroku",
            "datadog",
            "github",
            "gitlab",
            "azure",
            "aws",
            "google",
            "slack",
            "stripe",
            "vercel",
            "cloudflare",
            "sentry",
            "twitter",
        ]
    )
    b64 = base64.b64encode(source.randbytes(source.choice([24, 48, 300]))).decode()
    yield f"commit {hexes(40)}"
    yield f"index {hexes(7)}..{hexes(7)} 100644"
    yield f"{hexes(8)} Fix the {vendor} deploy"
    yield f"{vendor}: {hexes(40)}"
    yield f"{vendor} build {uuid.UUID(int=source.getrandbits(128))}"
    yield f"HEAD is now at {hexes(9)} token refresh"
    yield f"sha256:{hexes(64)}  image"
    yield f"{hexes(64)}  {vendor}-cli.tar.gz"
    yield f"{hexes(32)}  secrets.yaml"
    yield f'"integrity": "sha512-{base64.b64encode(source.randbytes(64)).decode()}"'
    yield f"{source.choice(['foo', 'x/y'])} v0.0.0-2023{source.randrange(10**10):010d}-{hexes(12)} h1:{base64.b64encode(source.randbytes(32)).decode()}"
    yield f'ETag: "{hexes(32)}"'
    yield f"request id {uuid.UUID(int=source.getrandbits(128))}"
    yield f"container {hexes(12)} ({hexes(64)})"
    yield f"ses_{hexes(12)}{alnum(14)} msg_{hexes(12)}{alnum(14)} prt_{hexes(12)}{alnum(14)}"
    yield f'{{"id": "toolu_{alnum(24)}", "call_id": "call_{alnum(24)}"}}'
    yield f"cache_key={hexes(40)}"
    yield f"fingerprint SHA256:{base64.b64encode(source.randbytes(32)).decode().rstrip('=')}"
    yield f"data:image/png;base64,{b64}"
    yield f'resourceVersion: "{source.randrange(10**9)}" uid: {uuid.UUID(int=source.getrandbits(128))}'
    yield f"/nix/store/{''.join(source.choice('0123456789abcdfghijklmnpqrsvwxyz') for _ in range(32))}-openssl-3.0.{source.randrange(20)}"
    yield f"/srv/releases/{hexes(40)}/config/secrets.yml"
    yield f"version 1.{source.randrange(99)}.{source.randrange(99)}-{hexes(7)}"
    yield f"node_modules/.cache/{hexes(20)}/token.js:{source.randrange(999)}"
    yield f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{alnum(43)} bob@laptop"
    yield f"token count {source.randrange(9999)}, key {source.randrange(99)}"
    yield f"pod/api-{hexes(10)}-{''.join(source.choice(_LETTERS) for _ in range(5))} 1/1 Running"
    yield f"trace_id={hexes(32)} span_id={hexes(16)}"
    yield f"arn:aws:iam::{source.randrange(10**11, 10**12)}:role/{vendor}-deploy"
    yield f"https://{vendor}.example/commit/{hexes(40)}?diff=1"
    yield f"migration {hexes(12)} -> {hexes(12)}, add {vendor} table"
    yield f"blob {b64}"


def test_hashes_uuids_checksums_ids_and_paths_stay() -> None:
    source = random.Random(7)
    texts = [text for _ in range(120) for text in _harmless(source)]
    session = Session(
        id="s",
        source_format="t",
        messages=tuple(
            Message(index=i, role="assistant", parts=(TextPart(text=Text(t)),)) for i, t in enumerate(texts)
        ),
    )
    _, redactions = redact(session)
    wrong = {texts[place.message_index] for place in redactions.places if place.message_index is not None}
    assert len(wrong) < len(texts) / 100, sorted(wrong)[:20]


def _long(source: str) -> Text:
    return Text(source, functools.partial(str, source))


def test_long_text_stays_a_handle_and_is_clean_at_both_ends_and_within() -> None:
    secrets = [draw(30, seed=str(i)) for i in range(4)]
    filler = "nothing to see here. " * 700
    # One straddles the end of the head, one the beginning of the tail.
    head = ("x " * KEPT)[: KEPT - 14] + f"PGPASSWORD={secrets[0]} "
    text = head + filler + f"DB_PASSWORD={secrets[1]} " + filler
    tail = f" API_TOKEN={secrets[2]} " + ("y " * KEPT)[: KEPT - 20]
    text += tail
    session = Session(
        id="s",
        source_format="t",
        messages=(
            Message(index=0, role="user", parts=(Call(name="bash", input=Text("{}"), output=_long(text)),)),
        ),
    )
    clean, redactions = redact(session)
    output = clean.messages[0].calls[0].output
    assert output is not None
    assert output.long
    assert redactions.total == 3
    whole = output.whole()
    assert whole.count("REDACTED-") == 3
    assert output.head == whole[:KEPT]
    assert output.tail == whole[-KEPT:]
    assert output.length == len(whole)
    for secret in secrets:
        assert secret[:10] not in output.head + output.tail + whole
        assert secret[-10:] not in output.head + output.tail + whole
    copy = pickle.loads(pickle.dumps(output))
    assert copy.whole() == whole


def test_long_json_input_stays_json() -> None:
    secret = draw(20)
    body = json.dumps(
        {"content": 'é\n\t"quoted" \\ back' * 900 + f"\nDB_PASSWORD={secret}\n", "n": 1}, ensure_ascii=False
    )
    assert len(body) > LONG
    session = Session(
        id="s",
        source_format="t",
        messages=(Message(index=0, role="user", parts=(Call(name="write", input=_long(body)),)),),
    )
    clean, _ = redact(session)
    arguments = clean.messages[0].calls[0].arguments()
    assert arguments["n"] == 1
    assert arguments["content"] == json.loads(body)["content"].replace(secret, "REDACTED-password-1")


@settings(max_examples=150, deadline=None)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(0, 10**12)
        | st.text(max_size=30)
        | st.sampled_from([t for t, _ in PLANTED.values()]),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.text(max_size=6) | st.sampled_from(["password", "token", "api_key", "command"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=8,
    ),
    st.booleans(),
)
def test_json_input_stays_json(value: Any, ascii_only: bool) -> None:
    text = json.dumps({"a": value}, ensure_ascii=ascii_only)
    session = Session(
        id="s",
        source_format="t",
        messages=(Message(index=0, role="user", parts=(Call(name="x", input=Text(text)),)),),
    )
    clean, _ = redact(session)
    after = json.loads(clean.messages[0].calls[0].input.whole())
    assert _shape(after) == _shape({"a": value})


def _shape(value: Any) -> Any:
    """What must not change: the structure. A number may turn into the name of a secret, a key never vanishes."""
    if isinstance(value, dict):
        return sorted((len(str(k)) > 0, str(_shape(v))) for k, v in value.items())
    if isinstance(value, list):
        return [_shape(v) for v in value]
    return "leaf"


def test_a_number_as_password_becomes_a_string() -> None:
    session = Session(
        id="s",
        source_format="t",
        messages=(
            Message(
                index=0, role="user", parts=(Call(name="x", input=Text('{"password": 48151623, "n": 5}')),)
            ),
        ),
    )
    clean, _ = redact(session)
    assert clean.messages[0].calls[0].arguments() == {"password": "REDACTED-password-1", "n": 5}


def test_input_that_is_no_json_is_cleaned_all_the_same() -> None:
    session = Session(
        id="s",
        source_format="t",
        messages=(
            Message(
                index=0,
                role="user",
                parts=(Call(name="x", input=Text(f'{{"command": "mysql -uroot -p{PW} x')),),
            ),
        ),
    )
    clean, _ = redact(session)
    assert clean.messages[0].calls[0].input.whole() == '{"command": "mysql -uroot -pREDACTED-password-1 x'


def test_ids_stay_unless_they_hold_a_token() -> None:
    token = "gh" + "p_" + draw(36)
    plain = Session(
        id="ses_01abcDEF23",
        source_format="t",
        messages=(Message(id="msg_" + draw(24), index=0, role="user", aliases=("a1",)),),
    )
    assert redact(plain)[0] is plain
    session = Session(
        id=token,
        source_format="t",
        messages=(
            Message(
                id="m-" + token,
                index=0,
                role="user",
                parts=(Call(id=token, name="x", input=Text("{}"), child="c"),),
            ),
        ),
        children=(Session(id="c", parent=token, source_format="t"),),
    )
    clean, _ = redact(session)
    assert token not in json.dumps(content(clean))
    assert clean.children[0].parent == clean.id
    assert clean.messages[0].calls[0].child == clean.children[0].id


@pytest.mark.parametrize("template", ["idAK" + "IA§", "msg_AK" + "IA§", "xgh" + "p_§§"])
def test_a_token_glued_into_an_id_goes(template: str) -> None:
    secret = "Q7" + draw(18, _LETTERS.upper() + "234567")[:14]
    spelled = template.replace("§", secret)
    if "_§" in template:
        spelled += "Ab12Cd34"
    session = Session(
        id="s1", source_format="t", messages=(Message(id=spelled, index=0, role="user", parts=()),)
    )
    clean, redactions = redact(session)
    assert secret not in json.dumps(content(clean))
    assert redactions.total == 1
    assert clean.messages[0].id is not None
    assert clean.messages[0].id.startswith(template[:2].rstrip("g"))


def test_a_pattern_is_no_secret_and_the_substitution_stays_one() -> None:
    command = f"sed -i 's/^password:.*/password: {PW}/; s/api_key: .*/api_key: Ab19{PW}x7/' f"
    clean, redactions = redact(one(command))
    assert said(clean) == (
        "sed -i 's/^password:.*/password: REDACTED-password-1/; s/api_key: .*/api_key: REDACTED-key-1/' f"
    )
    assert redactions.total == 2


def test_untouched_parts_are_the_same_objects() -> None:
    quiet = Message(index=0, role="user", parts=(TextPart(text=Text("hello")),))
    loud = Message(
        index=1, role="user", parts=(TextPart(text=Text("a")), TextPart(text=Text(f"DB_PASSWORD={PW}")))
    )
    clean, _ = redact(Session(id="s", source_format="t", messages=(quiet, loud)))
    assert clean.messages[0] is quiet
    assert clean.messages[1].parts[0] is loud.parts[0]


def test_neighbours_do_not_change_what_is_found() -> None:
    # A vendor's word at the end of one text, a value at the beginning of the next: two fields, no secret.
    value = draw(40, _HEX)
    parts = tuple(
        TextPart(text=Text(t))
        for t in ("set the twitch key:", draw(30, _LETTERS + "0123456789"), "datadog token =", value)
    )
    session = Session(id="s", source_format="t", messages=(Message(index=0, role="user", parts=parts),))
    assert redact(session)[1].total == 0


def test_rescan_finds_what_is_left_and_ignores_names() -> None:
    token = "gh" + "p_" + draw(36)
    assert rescan(f"<p>{token}</p>") == ["github-pat"]
    assert rescan(f"<td>psql postgres://u:{PW}@db/x</td>") == ["password"]
    assert rescan(_pem("RSA ", 4, "r")) == ["private-key"]
    for text, _ in PLANTED.values():
        clean, _found = redact(one(text))
        assert rescan(said(clean)) == []
    assert rescan("curl -u bob:REDACTED-password-1 https://bob:REDACTED-password-1@x/") == []


def _in_a_child(text: str) -> int:
    return redact(one(text))[1].total


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_process_can_redact_too() -> None:
    redact(one(f"DB_PASSWORD={PW}"))
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        assert pool.submit(_in_a_child, f"DB_PASSWORD={PW}").result(timeout=60) == 1


def test_no_socket_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("redaction must not touch the network")

    for name in ("socket", "create_connection", "getaddrinfo", "socketpair"):
        monkeypatch.setattr(socket, name, forbidden)
    for text, _ in PLANTED.values():
        assert redact(one(text))[1].total >= 1


HOSTILE = {
    "numbers": "4711 is my my my password 4711 " * 12_000,
    "labels": "password=" * 110_000,
    "labels-quoted": 'password="' * 100_000,
    "commands": "mysql " * 170_000,
    "curl": "curl -u a:b " * 80_000,
    "quotes": "sshpass -p '" * 80_000,
    "begin": "-----BEGIN RSA PRIVATE KEY-----" * 32_000,
    "kty": '{"kty":' * 140_000,
    "backslashes": "\\" * 1_000_000,
    "escapes": '\\"password\\":\\"' * 60_000,
    "urls": "http://a:b@" * 90_000,
    "bearer": "Bearer aaaaaaaa1 " * 60_000,
    "one-line": "a" * 1_000_000,
    "identifier": "a" * 500_000 + "_password=" + "b1" * 250_000,
    "wide": "пароль: я1" * 80_000,
    "nul": "\0password=\x1eab1\0" * 60_000,
    "base64": base64.b64encode(random.Random(1).randbytes(750_000)).decode(),
    "told": "пароль и a1b2c3d4 не " * 20_000,
    "changed": "password changed it to Ab9!xyzQ from Cd8!uvwR to " * 20_000,
    "told-below": "password:\n\n```\na1B2c3D4\n" * 20_000,
    "surrogates": "\ud800password=\udfffab12 " * 40_000,
    "echo": "echo a|" * 140_000,
    "cookies": "Cookie: " + "a1=bbbbbbb2;" * 80_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_linear_time(name: str) -> None:
    redact(one("warm up"))
    spent = []
    for size in (60_000, 240_000):
        runs = []
        # The better of two: other work on the machine makes a run slower, never faster.
        for _ in range(2):
            session = one(HOSTILE[name][:size])
            start = time.process_time()
            redact(session)
            runs.append(time.process_time() - start)
        spent.append(min(runs))
    # Four times the text: 16 times the time were it quadratic. Seconds are no matter of this test: machines differ.
    assert spent[1] < 8 * spent[0] + 0.3


PRIVATE = (
    "ssh deploy@db1.corp.internal 'tail /home/alice/app.log' && curl https://shop-staging.corp.internal/health && ping 10.1.2.3\n"
    "mail bob.jones@corp.internal, see /Users/alice/notes and C:\\Users\\Alice\\x; git@github.com:o/r.git; 127.0.0.1; v1.2.3.4"
)


def test_private_things_stay_unless_asked_for() -> None:
    session = one(PRIVATE)
    assert redact(session)[0] is session


def test_options_take_out_private_things() -> None:
    session = Session(
        id="s",
        source_format="t",
        directory="/home/alice/app",
        messages=(
            Message(
                index=0,
                role="assistant",
                parts=(
                    Call(name="bash", input=Text(json.dumps({"command": PRIVATE}))),
                    TextPart(text=Text("db1.corp.internal is down")),
                ),
            ),
        ),
    )
    clean, redactions = redact(
        session, options=RedactOptions(homes=True, emails=True, addresses=True, hosts=True)
    )
    command = clean.messages[0].calls[0].arguments()["command"]
    assert clean.directory == "/home/user-1/app"
    for gone in ("alice", "bob.jones", "10.1.2.3", "db1.corp", "shop-staging"):
        assert gone not in command
    assert "ssh deploy@host-1 " in command
    assert "https://host-2-staging/health" in command, "the word that tells the environment stays"
    assert "ping address-1" in command
    assert "mail person-1@mail.invalid" in command
    assert "git@github.com:o/r.git; 127.0.0.1; v1.2.3.4" in command
    part = clean.messages[0].parts[1]
    assert isinstance(part, TextPart)
    assert part.text.whole() == "host-1 is down"
    assert redactions.by_kind["host"] == 3


CODE = (
    "class Client:\n    def __init__(self, host, port):\n        self.host = host\n        conn = connect(host=self.host, port=port)\n"
    "        other = connect(host=args.host)\n        host = config.db.primary\n        hostname=url.hostname\n"
    "const client = { host: this.host, hostname: process.env.HOST1, host: opts.redis2.host };\nprint(self.host)\n"
)


def test_code_that_reads_an_attribute_names_no_host() -> None:
    assert [found.value for found in personal.hosts(CODE, command=False)] == []


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("host: db1.shop.lan", "db1.shop.lan"),
        ('host = "self.corp2.example"', "self.corp2.example"),
        ("hostname=app.prod.example.net", "app.prod.example.net"),
        ("host: server.db1.lan", "server.db1.lan"),
        ("host=gpu7", "gpu7"),
    ],
)
def test_an_address_in_the_same_place_is_a_host(text: str, host: str) -> None:
    assert host in [found.value for found in personal.hosts(text, command=False)]


def test_secrets_can_be_left_in() -> None:
    session = one(f"DB_PASSWORD={PW}")
    assert redact(session, options=RedactOptions(secrets=False))[0] is session


def test_every_command_with_options_is_a_cue() -> None:
    from importlib.resources import files

    from sessionlens.redact.cut import CUTTERS, data

    folder = files("sessionlens.redact")
    rules = "".join(folder.joinpath(name).read_text("utf-8") for name in ("rules.yaml", "forms.yaml"))
    cues = re.findall(r"id: sessionlens\.(?:command|web)\n.*?pattern: >-\n\s+(.*?)\n", rules, re.DOTALL)
    assert len(cues) == 2
    words = set(re.findall(r"[\w.-]+", " ".join(cues)))
    missing = set(data().commands) - words
    assert not missing
    assert set(re.findall(r"id: sessionlens\.(?:\w+\.)?(\w+)$", rules, re.MULTILINE)) == set(CUTTERS)


def test_what_pages_are_scanned_for_again_is_what_its_own_form_gives_away() -> None:
    from importlib.resources import files

    from sessionlens.redact.scanner import _FORM

    forms = files("sessionlens.redact").joinpath("forms.yaml").read_text("utf-8")
    assert set(re.findall(r"id: sessionlens\.(\w+)", forms)) == _FORM


@pytest.mark.skipif("SESSIONLENS_CORPUS" not in os.environ, reason="SESSIONLENS_CORPUS is not set")
def test_real_sessions_stay_readable() -> None:
    """Real exports: JSON inputs stay JSON, a second run finds nothing, little is replaced."""
    from sessionlens.readers import ReadError, read

    corpus = Path(os.environ["SESSIONLENS_CORPUS"])
    replaced = calls = 0
    for path in sorted(path for path in corpus.glob("real/opencode-export/**/*") if path.is_file())[:60]:
        try:
            sessions = read(path)
        except ReadError:
            continue
        for session in sessions:
            clean, redactions = redact(session)
            replaced += redactions.total
            for before, after in zip(session.messages, clean.messages, strict=True):
                for old, new in zip(before.calls, after.calls, strict=True):
                    calls += 1
                    assert old.arguments().keys() == new.arguments().keys()
            assert redact(clean)[1].total == 0
    assert calls
    assert replaced < calls / 4


def test_the_kinds_of_the_private_part_are_known_without_loading_it():
    from sessionlens import redact
    from sessionlens.redact import personal

    assert redact.PERSONAL == personal.KINDS
