/** What commands reach that plugins run on a tenant's files. */
import assert from "node:assert/strict";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { eventually } from "@capstan/testkit";
import type { Attack } from "../attack.ts";
import { deploys } from "../deploy.ts";
import { runs } from "../run-command.ts";
import { startedBy, startOf } from "../started-processes.ts";
import { startAttackWorld } from "../world.ts";

const signal = () => AbortSignal.timeout(100_000);

const sandboxed: Attack["lacks"] = ({ mode }) =>
  mode.hasSandbox ? false : "without bubblewrap commands see the files of this machine that all may see";
const otherUser: Attack["lacks"] = ({ mode }) =>
  mode.hasSandbox || mode.user === undefined
    ? false
    : "without bubblewrap and without root commands are the server's user";

const sandbox = "bubblewrap shows a command its own files, programs and system folders, nothing else";

export const attacks: readonly Attack[] = [
  {
    id: "commands/reads-the-data-folder",
    threat: "A command of a plugin.yaml reads Capstan's data folder, the home and files outside",
    heldBy: sandbox,
    lacks: sandboxed,
    play: runs("command-reads", ({ dataDir, outside }) =>
      [
        `cat ${dataDir}/admin-password ${dataDir}/kubeconfig ${outside}/secret`,
        `ls -R ${dataDir} ${outside} ${homedir()} ${dirname(homedir())}; cat /etc/shadow`,
        `for one in /proc/[0-9]*; do cat $one/environ $one/root${outside}/secret $one/cwd/../*/secret; done`,
        `ls ../../..; find / -name admin-password 2>/dev/null; true`,
      ].join("\n"),
    ),
  },
  {
    id: "commands/reads-private-files-as-another-user",
    threat: "A command of a plugin.yaml reads Capstan's private files and the environment of its process",
    heldBy: "the sandbox, or where Capstan is root a user of the repository's own",
    lacks: otherUser,
    play: runs("command-private", ({ dataDir }) =>
      [
        `cat ${dataDir}/admin-password ${dataDir}/cluster/* ${dataDir}/render/cache/*`,
        "for one in /proc/[0-9]*; do cat $one/environ; done 2>&1 | tr '\\0' '\\n'; true",
      ].join("\n"),
    ),
  },
  {
    id: "commands/debug-socket",
    threat:
      "A command of a plugin.yaml, or a caller of the API, asks for Capstan's heap, in which secrets are",
    heldBy:
      "the socket of capstan debug is in the data folder and its user's alone; nothing of it is on a port",
    lacks: otherUser,
    play: async (world) => {
      const ask = `use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new($ARGV[0]) or die $!; print $s "GET /debug/memory HTTP/1.0\\r\\n\\r\\n"; print <$s>`;
      await runs(
        "command-debug",
        ({ dataDir }) => `echo begun; perl -e '${ask}' ${dataDir}/debug.sock; true`,
        { says: /begun/, never: /heap_size_limit/ },
      )(world);
      for (const path of ["/debug/heap", "/debug/memory", "/debug/pprof/heap"]) {
        const { body } = await world.ask("alice", `GET ${path}`);
        assert.doesNotMatch(JSON.stringify(body), /heap_size_limit|node_count/, path);
      }
    },
  },
  {
    id: "commands/environment",
    threat: "A command of a plugin.yaml prints its environment, in which the operator's tokens stand",
    heldBy: "commands get of Capstan's environment what their plugin names, and PATH, locale and the like",
    advisories: ["CVE-2022-24348"],
    play: runs("command-environment", () => "env; set; export -p", { never: /CAPSTAN_/ }),
  },
  {
    id: "commands/loopback",
    threat: "A command reaches Capstan's API, and whatever else listens on the loopback",
    heldBy: "a network namespace of its own, unless the plugin asks for the network",
    lacks: sandboxed,
    play: runs(
      "command-loopback",
      ({ url }) => `curl -sk -m 5 ${url}/api/version && echo REACHED; cat /proc/net/unix; true`,
      {
        never: /REACHED|@\//,
      },
    ),
  },
  {
    id: "commands/becomes-root",
    threat: "A command makes devices, mounts, changes users, or loads what the kernel would run",
    heldBy: "no capability is kept and none can be gained, also where Capstan is root",
    lacks: sandboxed,
    advisories: ["CVE-2022-0492", "CVE-2019-5736"],
    play: runs(
      "command-root",
      () =>
        [
          "grep -h ^Cap /proc/self/status; grep NoNewPrivs /proc/self/status",
          "mknod disk b 8 0 && echo MADE; mknod /tmp/disk b 253 0 && echo MADE",
          "mount -t tmpfs none /mnt && echo MOUNTED; mount -o remount,rw / && echo MOUNTED; umount /proc && echo MOUNTED",
          "echo '|/bin/sh' > /proc/sys/kernel/core_pattern && echo KERNEL; echo b > /proc/sysrq-trigger && echo KERNEL",
          "chroot / id && echo ROOT; su -c id < /dev/null && echo ROOT; cp /bin/sh s && chmod u+s s && ./s -pc 'id -u' | grep -x 0 && echo ROOT",
          "ls /dev | grep -E '^(sd|vd|nvme|mem|kmsg|kvm|fuse|loop)' && echo DEVICE; true",
        ].join("\n"),
      { says: /CapEff:\\t0{16}/, never: /MADE|MOUNTED|KERNEL|ROOT\\n|DEVICE/ },
    ),
  },
  {
    id: "commands/other-processes",
    threat: "A command ends, traces or reads processes that are not its own",
    heldBy: "a process namespace of its own, in which none of the others is",
    lacks: sandboxed,
    play: runs(
      "command-processes",
      () =>
        "for one in /proc/[0-9]*; do tr '\\0' ' ' < $one/cmdline; echo; done | grep -E 'processes/(up|repo)|capstan.js (up|repo)' && echo FOUND; kill -9 1; ls /proc | grep -c '^[0-9]'; true",
      { never: /FOUND/ },
    ),
  },
  {
    id: "commands/leaves-by-the-kernel",
    threat: "A command joins other namespaces, traces, maps users, loads keys or programs into the kernel",
    heldBy: "no capability, namespaces of its own, none of whose parents it can name or open",
    lacks: sandboxed,
    advisories: ["CVE-2022-0492"],
    play: runs(
      "command-kernel",
      () =>
        [
          "nsenter -t 1 -a true && echo LEFT; nsenter -t 1 -m cat /etc/shadow && echo LEFT",
          "unshare -Ur sh -c 'mount -t proc none /proc && ls /proc/1/root/home' && echo LEFT",
          "for one in /proc/[0-9]*/ns/mnt; do readlink $one; done | sort -u | wc -l | grep -vx 1 && echo LEFT",
          "echo 1 > /proc/sys/kernel/yama/ptrace_scope && echo KERNEL; cat /proc/kcore | head -c 1 | grep -q . && echo KERNEL",
          "ls /sys/kernel/debug /sys/fs/cgroup 2>/dev/null | grep . && echo KERNEL; keyctl show 2>/dev/null && echo KERNEL",
          "find / -xdev -perm -4000 -type f 2>/dev/null | while read one; do $one --help 2>&1; done | grep -i 'uid=0' && echo ROOT; true",
        ].join("\n"),
      { never: /LEFT|KERNEL|ROOT\n/ },
    ),
  },
  {
    id: "commands/writes-outside",
    threat: "A command writes files of Capstan, of other tenants or of the system",
    heldBy: sandbox,
    lacks: sandboxed,
    play: runs("command-writes", ({ proof, outside, dataDir }) =>
      [
        `touch ${proof} ${outside}/new ${dataDir}/new; echo x > ${outside}/secret`,
        `ln -s ${outside}/secret a; echo x > a; ln ${outside}/secret b && echo x > b; cp /bin/true /usr/bin/evil`,
        `mkdir -p ${outside} && touch ${proof}; true`,
      ].join("\n"),
    ),
  },
  {
    id: "commands/sockets-with-the-network",
    threat: "A command that may use the network reaches the sockets of services: Docker, D-Bus, an agent",
    heldBy:
      "sockets are files that the sandbox does not show; the command is another user for those without a file",
    lacks: sandboxed,
    play: runs(
      "command-sockets",
      () =>
        "ls -la /run /var/run 2>&1; test -S /run/docker.sock -o -S /var/run/docker.sock -o -e /run/dbus && echo SOCKET; env | grep -E 'SSH_AUTH_SOCK|DBUS' && echo SOCKET; true",
      { never: /SOCKET\\n/, by: "online-shell" },
    ),
  },
  {
    id: "commands/what-one-leaves-for-the-next",
    threat:
      "A command leaves files, variables or processes for the next one, whose sandbox waits already, or finds its",
    heldBy:
      "a sandbox that waits has run nothing, shows empty folders of its own, and is used for one command",
    lacks: sandboxed,
    play: async (world) => {
      const words = `left-behind-${process.pid}`;
      const leave = [
        `for at in . .. /tmp $HOME /dev/shm /var/tmp; do echo ${words} > $at/left-behind; done; export LEFT=${words}`,
        `(setsid sh -c 'while :; do echo ${words} >> $HOME/left-late; sleep 0.1; done' > /dev/null 2>&1 &)`,
      ].join("\n");
      const find = [
        "find / -xdev -name 'left-*' -exec cat {} + 2>/dev/null; env; ls -A . /tmp $HOME",
        "sleep 0.5; cat $HOME/left-late; for one in /proc/[0-9]*; do cat $one/environ $one/cmdline; done | tr '\\0' '\\n'; true",
      ].join("\n");
      await runs("command-leaves", () => `${leave}\ntrue`)(world);
      await runs("command-finds", () => find, { never: new RegExp(words) })(world);
    },
  },
  {
    id: "commands/sandbox-outlives-capstan",
    threat: "A sandbox that waits, or what else rendering has started, goes on after kill -9 of Capstan",
    heldBy: "a sandbox ends with the process that started it, and that one with Capstan",
    slow: true,
    play: async ({ mode }) => {
      await using world = await startAttackWorld(mode);
      await runs("command-waits", () => "true")(world);
      const { pid } = world.capstan.status;
      const started = await eventually(
        async () => {
          const all = await startedBy(pid);
          const waits = all.some(({ line }) => / \/\S*\/sh $/.test(line));
          return waits || !mode.hasSandbox ? all : undefined;
        },
        { signal: signal(), describe: () => "no sandbox waits" },
      );
      await world.capstan.kill("SIGKILL");
      for (const one of started)
        await eventually(async () => (await startOf(one.pid)) !== one.start || undefined, {
          signal: signal(),
          describe: () => `${one.line} goes on`,
        });
    },
  },
  {
    id: "commands/fork-bomb",
    slow: true,
    threat: "A command starts processes until none can be started on this machine",
    heldBy: "RLIMIT_NPROC, with and without a sandbox",
    play: runs(
      "command-bomb",
      () => "i=0; while [ $i -lt 3000 ]; do sleep 30 & i=$((i+1)); done; echo SURVIVED; kill $(jobs -p)",
      // The shell fails that cannot start what prints.
      { never: /SURVIVED/, mayFail: true },
    ),
  },
  {
    id: "commands/cdk8s-without-a-sandbox",
    threat: "An application of cdk8s leaves Node's own limits where bubblewrap does not work",
    heldBy: "there it is refused, unless the operator says CAPSTAN_UNCONFINED_COMMANDS=true",
    lacks: ({ mode }) => (mode.hasSandbox ? "here a sandbox works" : false),
    play: deploys("cdk8s-open", {
      files: ({ outside }) => ({
        "app/cdk8s.yaml": "language: javascript\napp: node main.js\n",
        "app/package.json": '{"name":"a","version":"1.0.0"}',
        "app/package-lock.json":
          '{"name":"a","version":"1.0.0","lockfileVersion":3,"packages":{"":{"name":"a","version":"1.0.0"}}}',
        "app/main.js": `const { DatabaseSync } = require("node:sqlite"); new DatabaseSync("${outside}/made");\n`,
      }),
      source: () => ({ plugin: { name: "cdk8s" } }),
      ends: { refused: /CAPSTAN_UNCONFINED_COMMANDS=true/ },
    }),
  },
  {
    id: "commands/lovely-chosen-by-an-application",
    threat: "An application gives the plugin lovely commands of its own",
    heldBy: "they run in the sandbox; where none works they are refused",
    play: deploys("lovely-commands", {
      files: () => ({ "app/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: fine\n" }),
      source: ({ outside, dataDir, proof }) => ({
        plugin: {
          name: "lovely",
          env: [
            {
              name: "LOVELY_PREPROCESSORS",
              value: `sh -c 'cat ${outside}/secret ${dataDir}/admin-password >> a.yaml; env >> a.yaml; touch ${proof}; true'`,
            },
          ],
        },
      }),
      ends: { either: true },
    }),
  },
];
