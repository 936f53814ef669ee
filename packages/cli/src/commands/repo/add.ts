import { readFile } from "node:fs/promises";
import type { RestRepository } from "@capstan/wire";
import { defineCommand, type FlagValues, UsageError } from "../../command.ts";
import { compact } from "../../compact.ts";

const addFlags = {
  type: { kind: "string", help: "Kind of repository", choices: ["git", "helm", "oci"], byDefault: "git" },
  name: { kind: "string", help: "Name; needed for Helm repositories", value: "NAME" },
  project: { kind: "string", help: "Only for this project", value: "PROJECT" },
  username: { kind: "string", help: "User", value: "NAME" },
  password: {
    kind: "string",
    help: "Password or token; asked for when --username stands alone",
    value: "TEXT",
  },
  "bearer-token": { kind: "string", help: "Bearer token", value: "TEXT" },
  "ssh-private-key-path": { kind: "string", help: "File with the SSH key", value: "FILE" },
  "tls-client-cert-path": { kind: "string", help: "File with the client certificate", value: "FILE" },
  "tls-client-cert-key-path": {
    kind: "string",
    help: "File with the client certificate's key",
    value: "FILE",
  },
  "insecure-ignore-host-key": { kind: "boolean", help: "Do not check the SSH host key" },
  "insecure-skip-server-verification": { kind: "boolean", help: "Do not check certificate or host key" },
  "enable-lfs": { kind: "boolean", help: "Fetch files kept by git-lfs" },
  "enable-oci": { kind: "boolean", help: "Helm charts of an OCI registry" },
  "insecure-oci-force-http": { kind: "boolean", help: "Plain HTTP to an OCI registry" },
  "force-http-basic-auth": { kind: "boolean", help: "Send credentials without being asked" },
  proxy: { kind: "string", help: "Proxy", value: "URL" },
  "no-proxy": { kind: "string", help: "Hosts to reach without the proxy", value: "HOSTS" },
  depth: { kind: "integer", help: "Commits to fetch", value: "N" },
  upsert: { kind: "boolean", help: "Change a repository that is there already" },
} as const;

export default defineCommand({
  usage: "REPOURL",
  help: "Add a repository with its credentials, after trying them.",
  examples: [
    "capstan repo add https://git.example/apps.git --username me --password secret",
    "capstan repo add git@git.example:apps.git --ssh-private-key-path ~/.ssh/id_ed25519",
    "capstan repo add https://charts.example --type helm --name charts",
  ],
  argument: "none",
  arity: [1, 1],
  flags: addFlags,
  async run({ args: [url = ""], flags, io, api }) {
    if (flags.type === "helm" && !flags.name) throw new UsageError("a Helm repository needs a --name");
    const password =
      flags.username && flags.password === undefined && io.errIsTerminal
        ? await io.ask("Password: ", { hidden: true })
        : flags.password;
    const repo = await readRepository(url, { ...flags, ...compact({ password }) });
    const client = await api();
    const added = await client.call("createRepository", { repo, upsert: flags.upsert ?? false });
    io.out(`Repository '${added.repo}' added\n`);
    return 0;
  },
});

async function readRepository(repo: string, flags: FlagValues<typeof addFlags>): Promise<RestRepository> {
  const contents = async (file: string | undefined) =>
    file === undefined ? undefined : readFile(file, "utf8");
  const insecure = flags["insecure-skip-server-verification"];
  return {
    repo,
    ...compact({
      type: flags.type,
      name: flags.name,
      project: flags.project,
      username: flags.username,
      password: flags.password,
      bearerToken: flags["bearer-token"],
      sshPrivateKey: await contents(flags["ssh-private-key-path"]),
      tlsClientCertData: await contents(flags["tls-client-cert-path"]),
      tlsClientCertKey: await contents(flags["tls-client-cert-key-path"]),
      insecure,
      insecureIgnoreHostKey: flags["insecure-ignore-host-key"],
      enableLfs: flags["enable-lfs"],
      enableOCI: flags["enable-oci"],
      insecureOCIForceHttp: flags["insecure-oci-force-http"],
      forceHttpBasicAuth: flags["force-http-basic-auth"],
      proxy: flags.proxy,
      noProxy: flags["no-proxy"],
      depth: flags.depth,
    }),
  };
}
