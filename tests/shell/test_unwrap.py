"""What wrappers hold, and what they say about the place."""

from __future__ import annotations

import time

import pytest

from sessionlens.shell import explain, read


@pytest.mark.parametrize(
    ("line", "via", "words"),
    [
        ("ssh -p 22 -o A=b -J jump u@h 'a b'", ["ssh u@h"], "a b"),
        ("ssh -l u h a", ["ssh u@h"], "a"),
        ("ssh u@h -p 22 -t 'a'", ["ssh u@h"], "a"),
        ("sudo -u www -E A=b a", ["sudo -u www"], "a"),
        ("su - pg -c 'a b'", ["su - pg"], "a b"),
        ("doas a", ["doas"], "a"),
        ("timeout -k 5 1m a", ["timeout 1m"], "a"),
        ("env -i A=b a", ["env A=b"], "a"),
        ("nice -n 5 ionice -c 2 stdbuf -oL time a", ["nice", "ionice", "stdbuf", "time"], "a"),
        ("bash -lc 'a b'", ["bash -lc"], "a b"),
        ("eval 'a b'", ["eval"], "a b"),
        ("docker exec -it -u root -w /x c a b", ["docker exec c"], "a b"),
        ("docker --context p exec c a", ["docker exec c"], "a"),
        ("docker compose -f x.yml exec -T db a", ["docker compose exec db"], "a"),
        ("docker run --rm -v /a:/b img:1 a b", ["docker run img:1"], "a b"),
        ("kubectl -n ns exec -it p -c c -- a b", ["kubectl exec p"], "a b"),
        ("kubectl exec p -n ns -- a", ["kubectl exec p"], "a"),
        ("nsenter -t 1 -m -u -- a", ["nsenter"], "a"),
        ("chroot /mnt a", ["chroot /mnt"], "a"),
        ("xargs -0 -I{} -P 4 a {}", ["xargs"], "a {}"),
        ("find . -name x -exec a {} \\;", ["find -exec"], "a {}"),
        ("watch -n 5 a b", ["watch"], "a b"),
        ("uv run --with x a b", ["uv run"], "a b"),
        ("npx --yes a@2 b", ["npx"], "a b"),
        ("bundle exec a", ["bundle exec"], "a"),
        ("flock -n /l a", ["flock /l"], "a"),
        ("script -qc 'a b' /dev/null", ["script"], "a b"),
        ("ansible web -b -m shell -a 'a b'", ["ansible web"], "a b"),
        ("parallel a {} ::: 1 2", ["parallel"], "a 2"),
        ("sshpass -p x ssh h sudo a", ["sshpass", "ssh h", "sudo"], "a"),
        ("ssh h <<'E'\na b\nE", ["ssh h"], "a b"),
        ("ssh h 'bash -s' <<'E'\na b\nE", ["ssh h", "bash -s"], "a b"),
        ("tmux send-keys -t s 'a b' C-m", ["tmux send-keys"], "a b"),
    ],
)
def test_wrapper(line: str, via: list[str], words: str) -> None:
    command = read(line)[-1]
    assert list(command.via) == via
    assert " ".join(command.words) == words


@pytest.mark.parametrize(
    "line",
    ["nohup a", "a &", "setsid -f a", "tmux new -d -s x 'a'", "screen -dmS x a", "ssh -f h a", "systemd-run a",
     "docker exec -d c a", "docker run -d img", "gunicorn -D app:app", "echo a | at now"],
)  # fmt: skip
def test_detached(line: str) -> None:
    assert read(line)[-1].detached


@pytest.mark.parametrize(
    "line", ["sudo -l", "env", "ssh -O exit h", "docker run --rm img", "tmux send-keys -t x abc"]
)
def test_no_wrapper(line: str) -> None:
    assert [" ".join(c.words) for c in read(line)] == [line]


def test_limit_in_seconds() -> None:
    assert read("timeout 1.5m a")[0].limit_s == 90.0


def test_redirection_before_the_wrapper_is_on_this_side() -> None:
    (command,) = read("ssh h cat /etc/a > b.txt")
    assert command.effect == "edit"
    assert (command.target.name, command.target.host) == ("b.txt", None)
    assert command.environment == "local"


def test_redirection_between_wrappers_is_on_the_host_between() -> None:
    (command,) = read("ssh db1 'docker exec pg pg_dump app > /backup/app.sql'")
    assert command.effect == "edit"
    assert (command.target.name, command.target.host) == ("/backup/app.sql", "db1")
    assert command.environment == "production"


def test_nesting_has_an_end() -> None:
    assert len(read("sudo " * 50 + "ls")) == 1


@pytest.mark.parametrize(
    "line",
    [
        'powershell -Command "Get-Process W3SVC"',
        "Get-Process x | Stop-Process",
        "Restart-Service $name",
        "cmd /c dir x",
    ],
)
def test_other_shells_are_declined_with_a_reason(line: str) -> None:
    (command,) = read(line)
    assert command.effect == "none"
    assert command.confidence == "low"
    assert command.note


def test_explain_has_exactly_the_keys_of_the_contract() -> None:
    (command,) = read("ssh root@gpu7 systemctl restart vllm")
    assert list(explain(command)) == [
        "words", "via", "runs_if", "effect", "check_strength", "dry_run", "detached", "long_running", "target",
        "environment", "confidence", "partly_parsed",
    ]  # fmt: skip
    assert explain(command)["target"] == {
        "kind": "service", "name": "vllm", "host": "gpu7", "context": None, "namespace": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "does"),
    [
        ("Restart-Service -Name 'Print Spooler' -Force", ["restart Print Spooler@None"]),
        ("Restart-Service billing -ComputerName web1", ["restart billing@web1"]),
        ("Get-Service billing | Restart-Service", ["restart billing@None"]),
        ("Stop-Service a,b; Start-Service a", ["stop a@None", "stop b@None", "start a@None"]),
        (
            "Invoke-Command -ComputerName web1,web2 -ScriptBlock { Restart-Service W3SVC; Get-Service W3SVC }",
            ["restart W3SVC@web1", "check W3SVC@web1", "restart W3SVC@web2", "check W3SVC@web2"],
        ),
        ("Get-ChildItem; Restart-Service billing", ["none @None", "restart billing@None"]),
        ("Restart-Computer -ComputerName db1 -Force", ["reboot db1@db1"]),
        ("iisreset", ["restart W3SVC@None"]),
        ("iisreset web1 /stop", ["stop W3SVC@web1"]),
        ("net stop billing && net start billing", ["stop billing@None", "start billing@None"]),
        ("sc.exe \\\\web1 query billing", ["check billing@web1"]),
        ("ssh win1 'powershell Restart-Service billing'", ["restart billing@win1"]),
        ("ssh win1 'net stop billing; net start billing'", ["stop billing@win1", "start billing@win1"]),
        ("powershell -c \"powershell -c 'iisreset'\"", ["restart W3SVC@None"]),
        (
            "foreach ($h in 'web1','web2') { Restart-Service W3SVC -ComputerName $h }",
            ["restart W3SVC@web1", "restart W3SVC@web2"],
        ),
        (
            '$hosts = @("web1", "web2"); foreach ($h in $hosts) { Invoke-Command -ComputerName $h -ScriptBlock { Get-Service W3SVC } }',
            ["check W3SVC@web1", "check W3SVC@web2"],
        ),
        (
            '$s = "web1","web2"; Invoke-Command -ComputerName $s { Restart-Service W3SVC }',
            ["restart W3SVC@web1", "restart W3SVC@web2"],
        ),
        ('foreach ($i in 1..2) { Restart-Computer "web$i" }', ["reboot web1@web1", "reboot web2@web2"]),
        ("foreach ($h in $all) { Get-Service W3SVC -ComputerName $h }", ["check W3SVC@$h"]),
        (
            "'web1','web2' | ForEach-Object { Test-NetConnection $_ -Port 443 }",
            ["none @None", "check 443@web1", "check 443@web2"],
        ),
        ("$s = New-PSSession web1; Invoke-Command -Session $s { iisreset }", ["restart W3SVC@web1"]),
        ("Invoke-Command web1 { Remove-Item -Recurse C:\\www\\old }", ["delete C:\\www\\old@web1"]),
        ("Invoke-Command web1 { Test-Path C:\\www\\old }", ["check C:\\www\\old@web1"]),
        ("Remove-Item \\\\web1\\c$\\www\\old", ["delete c:\\www\\old@web1"]),
        ("(Get-Service W3SVC -ComputerName web1).Status", ["check W3SVC@web1"]),
        ("Get-WebAppPoolState shop", ["check shop@None"]),
        ("Invoke-WebRequest http://web1/health -UseBasicParsing", ["check http://web1/health@web1"]),
        ("Get-CimInstance Win32_Service -ComputerName web1 -Filter \"Name='W3SVC'\"", ["check W3SVC@web1"]),
        ("shutdown /r /m \\\\sql01 /t 0", ["reboot sql01@sql01"]),
        ("shutdown.exe -s -t 0 -m \\\\sql01", ["stop sql01@sql01"]),
        ("ssh admin@win1 'shutdown /r /t 0 /f'", ["reboot win1@win1"]),
        ("ssh admin@win1 'shutdown /s /t 0'", ["stop win1@win1"]),
        ("ssh admin@win1 'shutdown /a'", ["none win1@win1"]),
        ("ssh admin@win1 'shutdown /?'", ["none win1@win1"]),
        ("ssh web1 'shutdown -h now'", ["stop web1@web1"]),
    ],
)
def test_services_of_windows_are_read(line: str, does: list[str]) -> None:
    commands = read(line)
    assert [f"{c.effect} {c.target.name}@{c.target.host}" for c in commands] == does


@pytest.mark.parametrize(
    ("line", "does"),
    [
        (
            "Invoke-Command -ComputerName web1 { Set-WebConfigurationProperty -PSPath 'IIS:\\Sites\\Shop' -Filter 'system.webServer/security' -Name maxAllowedContentLength -Value 1 }",
            ["configure service Shop@web1"],
        ),
        (
            "Invoke-Command -ComputerName web1 { Get-WebConfigurationProperty -PSPath 'IIS:\\Sites\\Shop' -Filter 'x' -Name y }",
            ["check service Shop@web1"],
        ),
        (
            "Invoke-Command web1 { Set-ItemProperty IIS:\\AppPools\\shop -Name recycling -Value 3 }",
            ["configure service shop@web1"],
        ),
        (
            "Invoke-Command web1 { $h = Get-IISConfigElement $s -ChildElementName hsts; Set-IISConfigAttributeValue $h enabled $true }",
            ["check service W3SVC@web1", "configure service W3SVC@web1"],
        ),
        (
            "Enter-PSSession web1; New-NetFirewallRule -DisplayName 'App 8443' -LocalPort 8443 -Action Allow",
            ["configure network App 8443@web1"],
        ),
        (
            "New-NetFirewallRule -DisplayName App -CimSession web1 -Action Allow",
            ["configure network App@web1"],
        ),
        (
            "Add-DnsServerResourceRecordA -ComputerName dc1 -ZoneName corp.local -Name app -IPv4Address 10.0.0.5; Resolve-DnsName app.corp.local",
            ["configure network app.corp.local@dc1", "check network app.corp.local@None"],
        ),
        (
            "Set-GPRegistryValue -Name Baseline -Server dc1 -Key HKLM\\Software\\X -ValueName a -Value 1",
            ["configure service Baseline@dc1"],
        ),
        (
            "Invoke-Command web1 { Set-Content D:\\www\\web.config $x; Get-Content D:\\www\\web.config }",
            ["edit file D:\\www\\web.config@web1", "check file D:\\www\\web.config@web1"],
        ),
        (
            "Copy-Item web.config \\\\web1\\d$\\www\\web.config",
            ["edit file d:\\www\\web.config@web1"],
        ),
        ("winrs -r:web1 netsh advfirewall firewall add rule name=x dir=in", ["configure network x@web1"]),
        ("psexec \\\\web1 -s netsh interface ip show config", ["check network interface@web1"]),
        ("winrs -r:web1 reg add HKLM\\Software\\X /v y /d 1 /f", ["configure file HKLM\\Software\\X@web1"]),
        ("reg add \\\\web1\\HKLM\\Software\\X /v y /d 1 /f", ["configure file HKLM\\Software\\X@web1"]),
        (
            "ssh web1 appcmd set config shop -section:system.webServer/httpCompression",
            ["configure service shop@web1"],
        ),
        ("ssh web1 appcmd recycle apppool /apppool.name:shop", ["restart service shop@web1"]),
        # The same cmdlet does the same at home and elsewhere; a rule of the firewall is a setting, a site a thing.
        ("Remove-NetFirewallRule -DisplayName App; iisreset", ["configure network App@None", "restart service W3SVC@None"]),
        ("Remove-NetFirewallRule -DisplayName App -CimSession web1", ["configure network App@web1"]),
        ("Remove-Website -Name shop; iisreset", ["delete service shop@None", "restart service W3SVC@None"]),
        ("Invoke-Command web1 { Remove-IISSite shop }", ["delete service shop@web1"]),
        ("Invoke-Command hv1 { Set-VM -Name db1 -MemoryStartupBytes 4GB }", ["configure host db1@hv1"]),
        ("Get-VMProcessor -VMName db1 -ComputerName hv1", ["check host db1@hv1"]),
        (
            "New-NetFirewallRule -DisplayName App -CimSession web1, web2 -Action Allow",
            ["configure network App@web1", "configure network App@web2"],
        ),
        # The first word behind an option with a value is no name.
        ("Test-NetConnection -Port 443 web1", ["check network 443@web1"]),
        ("Restart-Service -Confirm:$false billing", ["restart service billing@None"]),
        ("$seen = (Get-Service billing -ComputerName web1).Status", ["check service billing@web1"]),
        # What belongs to a script, only tells what it would do, or acts at home.
        ("Invoke-Command web1 { Set-Location C:\\; New-Object Foo; iisreset }", ["none", "none", "restart service W3SVC@web1"]),
        ("Invoke-Command web1 { Set-Item IIS:\\AppPools\\x -Value 3 -WhatIf; iisreset }", ["none", "restart service W3SVC@web1"]),
        ("New-NetFirewallRule -DisplayName App -Action Allow; iisreset", ["configure network App@None", "restart service W3SVC@None"]),
    ],
)  # fmt: skip
def test_settings_of_other_windows_machines_are_read(line: str, does: list[str]) -> None:
    found = [
        "none" if c.effect == "none" else f"{c.effect} {c.target.kind} {c.target.name}@{c.target.host}"
        for c in read(line)
    ]
    assert found == does


@pytest.mark.parametrize(
    ("line", "later"),
    [
        ("shutdown /r /t 0", False),
        ("shutdown /t 00 /r", False),
        ("shutdown /r /t 60", True),
        ("shutdown /r", True),
        ("ssh web1 'shutdown -r now'", False),
        ("ssh web1 'shutdown -r +5'", True),
    ],
)
def test_a_reboot_with_a_delay_comes_later(line: str, later: bool) -> None:
    (command,) = read(line)
    assert (command.effect, command.detached) == ("reboot", later)


def test_windows_lines_take_bounded_work() -> None:
    begun = time.process_time()
    for line in (
        "Restart-Service " + "{" * 9000,
        "iisreset;" * 5000,
        "net stop " + '"a' * 9000,
        "icm -cn a {" * 3000,
        "Enter-PSSession a;" * 3000,
        "winrs -r:a " * 3000,
        "icm a { Set-WebConfigurationProperty -PSPath IIS:\\Sites\\" + "a" * 9000 + " }",
    ):
        assert len(read(line)) <= 201
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    ("line", "hosts"),
    [
        ("for i in $(seq 1 3); do ssh web$i systemctl restart x; done", "web1 web2 web3"),
        ("for i in `seq -w 8 10`; do ssh web$i systemctl restart x; done", "web08 web09 web10"),
        ("for i in $(seq -f 'db%02g' 2 2 4); do ssh $i systemctl restart x; done", "db02 db04"),
        ("for ((i=1;i<=2;i++)); do ssh web$i systemctl restart x; done", "web1 web2"),
        ("for ((n = 3; n > 1; n--)); do ssh web$n systemctl restart x; done", "web3 web2"),
        ("i=1; while [ $i -le 2 ]; do ssh web$i systemctl restart x; i=$((i+1)); done", "web1 web2"),
        ("N=2; seq 1 $N | xargs -I{} ssh web{} systemctl restart x", "web1 web2"),
        ("H=$(echo web1 web2); for h in $H; do ssh $h systemctl restart x; done", "web1 web2"),
        ("H=($(seq -f web%g 1 2)); for h in \"${H[@]}\"; do ssh $h systemctl restart x; done", "web1 web2"),
        ("printf 'web1\\nweb2\\n' > h; for s in $(cat h); do ssh $s systemctl restart x; done", "web1 web2"),
        ("printf 'web1\\n' > h; echo web2 >> h; xargs -a h -I% ssh % systemctl restart x", "web1 web2"),
        ("1..2 | % { Invoke-Command -ComputerName \"web$_\" { Restart-Service x } }", "web1 web2"),
    ],
)  # fmt: skip
def test_a_loop_that_the_line_tells_is_read_round_by_round(line: str, hosts: str) -> None:
    restarts = [command for command in read(line) if command.effect == "restart"]
    assert [command.target.host for command in restarts] == hosts.split()
    assert not any(command.each for command in restarts)


@pytest.mark.parametrize(
    "line",
    [
        "for h in $(cat hosts.txt); do ssh $h systemctl restart x; done",
        "for h in $(< hosts.txt); do ssh $h systemctl restart x; done",
        "while read -r h; do ssh -n $h systemctl restart x; done < hosts.txt",
        'while read -r h || [ -n "$h" ]; do ssh -n $h systemctl restart x; done < hosts.txt',
        "grep -v '^#' hosts.txt | while read h; do ssh -n $h systemctl restart x; done",
        "cat hosts.txt | sort -u | xargs -I{} ssh {} systemctl restart x",
        "xargs -I{} ssh {} systemctl restart x < hosts.txt",
        "parallel ssh {} systemctl restart x :::: hosts.txt",
        'mapfile -t H < hosts.txt; for h in "${H[@]}"; do ssh $h systemctl restart x; done',
        "pssh -h hosts.txt -i systemctl restart x",
        "clush --hostfile hosts.txt systemctl restart x",
        "foreach ($s in Get-Content hosts.txt) { Invoke-Command -ComputerName $s { Restart-Service x } }",
        "Get-Content hosts.txt | ForEach-Object { Invoke-Command -ComputerName $_ { Restart-Service x } }",
    ],
)
def test_a_list_in_a_file_is_known_only_where_the_session_shows_it(line: str) -> None:
    (unknown,) = (command for command in read(line) if command.effect == "restart")
    assert unknown.each
    assert unknown.environment == "unknown"
    known = [c for c in read(line, files=(("hosts.txt", "web1\nweb2\n"),)) if c.effect == "restart"]
    assert [(command.target.host, command.each) for command in known] == [("web1", False), ("web2", False)]


@pytest.mark.parametrize(
    "line",
    ["ssh $HOST systemctl restart x", "H=$(hostname); ssh $H systemctl restart x", "ssh web1 systemctl restart x",
     "ssh web1 'for s in $(cat list); do systemctl restart x; done'"],
)  # fmt: skip
def test_one_host_is_not_several(line: str) -> None:
    assert not any(command.each for command in read(line))


def test_a_loop_of_hundreds_of_rounds_is_read_once() -> None:
    commands = read("for i in $(seq 1 900); do ssh web$i systemctl restart x; done")
    assert [(c.target.host, c.each) for c in commands if c.effect == "restart"] == [("web$i", True)]


@pytest.mark.parametrize(
    "line",
    ["for ((i=1;i<=3;i--)); do ssh web$i systemctl restart x; done", "for ((i=3;i>=1;i+=1)); do ssh web$i systemctl restart x; done",
     "i=²; while [ $i -le 4 ]; do ssh web$i systemctl restart x; i=$((i+1)); done"],
)  # fmt: skip
def test_a_loop_that_does_not_count_to_its_end_has_no_known_rounds(line: str) -> None:
    assert not [c for c in read(line) if c.effect == "restart" and c.target.host in {"web1", "web2", "web3"}]
