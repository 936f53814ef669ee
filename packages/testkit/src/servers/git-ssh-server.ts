import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startProcess, untilServing } from "../child-process.ts";
import { freePorts, isListening } from "../free-port.ts";
import { type GitHosting, openGitHosting } from "./git-hosting.ts";

const run = promisify(execFile);

/** OpenSSH's server on the loopback; whoever has the key may run git in this server's repositories, nothing else. */
export interface GitSshServer extends AsyncDisposable, Pick<GitHosting, "createRepository"> {
  /** PEM of the only key that is let in, and the file that holds it. */
  readonly privateKey: string;
  readonly privateKeyFile: string;
  /** The line of known_hosts for this server, and the file that holds it. */
  readonly knownHosts: string;
  readonly knownHostsFile: string;
}

const sshdPath = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/sbin/sshd"].find((path) => existsSync(path));

/** The reason to skip, or false. */
export const lackingGitSshServer = (): string | false =>
  sshdPath ? false : "sshd is not installed: apt-get install openssh-server";

export async function startGitSshServer(): Promise<GitSshServer> {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-ssh-"));
  opened.defer(() => rm(dir, { recursive: true, force: true }));
  const [port = 0] = await freePorts(1);
  const user = userInfo().username;
  const hosting = opened.use(
    await openGitHosting((name, folder) => `ssh://${user}@127.0.0.1:${port}${folder}/${name}.git`),
  );
  const privateKeyFile = join(dir, "client");
  const knownHostsFile = join(dir, "known_hosts");
  const configFile = join(dir, "sshd_config");
  await writeKeys(dir, hosting.dir);
  const hostKey = (await readFile(join(dir, "host.pub"), "utf8")).trim();
  const knownHosts = `[127.0.0.1]:${port} ${hostKey}\n`;
  await writeFile(knownHostsFile, knownHosts);
  await writeFile(configFile, settings(dir, port));
  // sshd started by root wants this empty folder, which Debian's service makes at boot.
  if (process.getuid?.() === 0) await mkdir("/run/sshd", { recursive: true, mode: 0o755 });
  const sshd = opened.use(startProcess(sshdPath ?? "sshd", ["-D", "-e", "-f", configFile]));
  await untilServing("sshd", sshd, async () => (await isListening({ port, host: "127.0.0.1" })) || undefined);
  const privateKey = await readFile(privateKeyFile, "utf8");
  const closing = opened.move();
  return {
    createRepository: hosting.createRepository,
    privateKey,
    privateKeyFile,
    knownHosts,
    knownHostsFile,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function writeKeys(dir: string, repositories: string): Promise<void> {
  for (const name of ["host", "client"])
    await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", join(dir, name)]);
  const publicKey = await readFile(join(dir, "client.pub"), "utf8");
  const shell = `cd ${repositories} && git-shell -c \\"$SSH_ORIGINAL_COMMAND\\"`;
  await writeFile(join(dir, "authorized_keys"), `restrict,command="${shell}" ${publicKey}`, { mode: 0o600 });
}

const settings = (dir: string, port: number): string => `
Port ${port}
ListenAddress 127.0.0.1
HostKey ${join(dir, "host")}
AuthorizedKeysFile ${join(dir, "authorized_keys")}
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
AcceptEnv GIT_PROTOCOL
`;
