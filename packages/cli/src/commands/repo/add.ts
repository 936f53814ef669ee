import { defineCommand } from "../../command.ts";
import { compact } from "../../compact.ts";
import { credentialFlags, readCredentials, requireName } from "./credential-flags.ts";

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
  flags: {
    ...credentialFlags,
    name: { kind: "string", help: "Name; needed for Helm repositories", value: "NAME" },
    project: { kind: "string", help: "Only for this project", value: "PROJECT" },
    "insecure-ignore-host-key": { kind: "boolean", help: "Do not check the SSH host key" },
    "insecure-skip-server-verification": { kind: "boolean", help: "Do not check certificate or host key" },
    "enable-lfs": { kind: "boolean", help: "Fetch files kept by git-lfs" },
    "insecure-oci-force-http": { kind: "boolean", help: "Plain HTTP to an OCI registry" },
    proxy: { kind: "string", help: "Proxy", value: "URL" },
    "no-proxy": { kind: "string", help: "Hosts to reach without the proxy", value: "HOSTS" },
    depth: { kind: "integer", help: "Commits to fetch", value: "N" },
  },
  async run({ args: [url = ""], flags, io, api }) {
    requireName(flags);
    const repo = {
      repo: url,
      ...(await readCredentials(url, flags, io)),
      ...compact({
        name: flags.name,
        project: flags.project,
        insecure: flags["insecure-skip-server-verification"],
        insecureIgnoreHostKey: flags["insecure-ignore-host-key"],
        enableLfs: flags["enable-lfs"],
        insecureOCIForceHttp: flags["insecure-oci-force-http"],
        proxy: flags.proxy,
        noProxy: flags["no-proxy"],
        depth: flags.depth,
      }),
    };
    const client = await api();
    const added = await client.call("createRepository", { repo, upsert: flags.upsert ?? false });
    io.out(`Repository '${added.repo}' added\n`);
    return 0;
  },
});
