import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { systemClock as clock } from "@capstan/flow";
import { probeIsolation } from "./probe-isolation.ts";
import { type Sandbox, type SandboxView, sandboxArguments } from "./sandbox.ts";
import { visibleProgram, visiblePrograms } from "./visible-programs.ts";

const { sandbox, whyNoSandbox, isRoot, setpriv } = await probeIsolation(
  process.env.PATH ?? "",
  clock,
  AbortSignal.timeout(100_000),
);
const env = { PATH: process.env.PATH ?? "" };
/** Outside of /tmp, of which every sandbox has its own, and open to all. */
const top = "/var/tmp";

describe("the sandbox", { skip: whyNoSandbox ?? false }, () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(top, "capstan-sandbox-"));
    await chmod(folder, 0o711);
    for (const name of ["seen", "seen/data", "own", "bin", "links", "opt/tool-1/bin"])
      await mkdir(join(folder, name), { recursive: true });
    await chmod(join(folder, "own"), 0o777);
    await writeFile(join(folder, "seen", "file"), "seen\n");
    await writeFile(join(folder, "seen", "data", "password"), "secret\n");
    await writeFile(join(folder, "opt/tool-1/bin/tool"), "#!/bin/sh\necho tool\n", { mode: 0o755 });
    await symlink("tool-1", join(folder, "opt/tool"));
    await symlink("../opt/tool/bin/tool", join(folder, "bin", "tool"));
    await symlink("../opt/tool-1/bin/tool", join(folder, "links", "t"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  function run(script: string, more: Partial<SandboxView> = {}, inner: readonly string[] = []) {
    const view = {
      cwd: "/",
      readable: [join(folder, "seen")],
      hidden: [join(folder, "seen", "data")],
      writable: [join(folder, "own")],
      network: false,
      ...more,
    };
    const [program = "", ...args] = sandbox ? sandboxArguments(view, sandbox) : [];
    const ran = spawnSync(program, [...args, ...inner, "sh", "-c", script], { env, encoding: "utf8" });
    return `${ran.stdout}${ran.stderr}`;
  }

  test("shows what it is told to, and writes where it is told to", () => {
    assert.equal(run(`cat ${folder}/seen/file; ls -A ${folder}/seen/data`), "seen\n");
    assert.equal(run(`echo new > ${folder}/own/new; cat ${folder}/own/new`), "new\n");
    assert.match(run(`echo new > ${folder}/seen/new`), /Read-only|[Pp]ermission/);
    assert.match(run("echo new > /new; echo new > /etc/new; echo new > /dev/new"), /(Read-only.*\s.*){3}/);
  });

  test("mounts once what is named twice", { skip: !sandbox }, () => {
    const seen = join(folder, "seen");
    const view = { cwd: "/", readable: [seen, seen], writable: [], network: false };
    const words = sandbox ? sandboxArguments(view, sandbox) : [];
    assert.deepEqual(
      words.flatMap((word, at) => (word === seen ? [words[at - 1]] : [])),
      ["--ro-bind-try", seen],
    );
  });

  test("shows of /etc what programs need, as it is, and nothing else", () => {
    const own = execFileSync("sh", ["-c", "cat /etc/passwd /etc/hosts; readlink /etc/mtab"], {
      encoding: "utf8",
    });
    assert.equal(run("cat /etc/passwd /etc/hosts; readlink /etc/mtab"), own);
    assert.match(
      run("cat /etc/shadow; echo x >> /etc/passwd"),
      /No such file.*\s.*(Read-only|[Pp]ermission)/,
    );
    assert.equal(run("ls /etc/ssl > /dev/null && ls -A /etc/ssl/private"), "");
    // Something else within /etc, and all the same the rest of it.
    const more = { readable: ["/etc/ssh", "/etc/motd"] };
    assert.equal(run("cat /etc/passwd /etc/hosts", more), run("cat /etc/passwd /etc/hosts"));
  });

  test("has no capability, no other process, six devices and a /tmp of its own", () => {
    assert.match(run("grep -h '^Cap' /proc/self/status"), /^(Cap\w+:\s+0{16}\n){5}$/);
    assert.match(run("grep NoNewPrivs /proc/self/status"), /1$/m);
    const devices = run("for one in /dev/*; do test -c $one -o -b $one && echo $one; done; true");
    assert.equal(devices, "/dev/full\n/dev/null\n/dev/random\n/dev/tty\n/dev/urandom\n/dev/zero\n");
    assert.equal(run("ls -A /tmp; echo mine > /tmp/x; cat /tmp/x"), "mine\n");
    if (sandbox?.proc === "own") assert.ok(run("ls /proc | grep -c '^[0-9]'").trim().length === 1);
  });

  test("as root the program is another user", { skip: !isRoot || setpriv === undefined }, () => {
    assert.equal(run("id -u; id -g; id -G", { owner: 4_321 }), "4321\n4321\n4321\n");
    assert.equal(run("id -u"), "65534\n");
  });

  test("runs within a sandbox, and is as tight there", () => {
    const own: Sandbox[] = (["own", "outer"] as const).map((proc) => ({
      bwrap: sandbox?.bwrap ?? "",
      hasOwnUser: true,
      proc,
    }));
    const inner = own.map((one) =>
      sandboxArguments({ cwd: "/", readable: [], writable: [join(folder, "own")], network: false }, one),
    );
    const script = `ls -A ${folder}; grep -h '^CapEff' /proc/self/status; cat /proc/1/environ`;
    // The arguments were made out here: what stands for /etc lies in this machine's folder for what is temporary.
    const readable = [join(folder, "seen"), ...(`${tmpdir()}/`.startsWith("/tmp/") ? [] : [tmpdir()])];
    const seen = inner.map((argv) => run(script, { scratch: "/tmp", readable }, argv));
    assert.ok(
      seen.some((text) => /^own\nCapEff:\s+0{16}\n/.test(text)),
      seen.join(),
    );
  });

  test("a program on PATH that is a link to a link elsewhere runs", () => {
    const path = `${folder}/bin:${env.PATH}`;
    const readable = visiblePrograms(path);
    assert.equal(run(`PATH=${path} tool`, { readable }), "tool\n");
  });

  test("a link in a PATH folder, named besides, is no place for a mount", () => {
    const link = join(folder, "links", "t");
    const readable = [...visiblePrograms(join(folder, "links")), ...visibleProgram(link)];
    assert.ok(readable.includes(link));
    assert.equal(run(link, { readable }), "tool\n");
  });

  test("folders in which there is more than programs are not shown for the sake of one", () => {
    const home = homedir();
    for (const path of ["/", home, "/tmp", "/proc/1", "/dev/sda", "/var"])
      assert.deepEqual(visibleProgram(path), []);
    const ofHome = visiblePrograms(`${home}/bin:${home}/.local/bin`);
    assert.ok(!ofHome.includes(home) && !ofHome.includes(`${home}/.local`));
  });
});
