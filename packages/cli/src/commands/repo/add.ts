import { defineCommand } from "../../command.ts";
import { describeRepository, repositoryFlags } from "./described-repository.ts";

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
    ...repositoryFlags,
    upsert: { kind: "boolean", help: "Change a repository that is there already" },
  },
  async run({ args: [url = ""], flags, io, api }) {
    const repo = await describeRepository(url, flags, io);
    const client = await api();
    const added = await client.call("createRepository", { repo, upsert: flags.upsert ?? false });
    io.out(`Repository '${added.repo}' added\n`);
    return 0;
  },
});
