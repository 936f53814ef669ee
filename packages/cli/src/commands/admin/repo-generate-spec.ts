import { defineCommand } from "../../command.ts";
import { describeRepository, repositoryFlags } from "../repo/described-repository.ts";
import { repositorySecretName } from "./argocd-secret-name.ts";
import { labelledSecret } from "./labelled-secret.ts";
import { formatFlags, writeSpec } from "./write-spec.ts";

export default defineCommand({
  usage: "REPOURL",
  help: "Print the Secret by which a repository is added. No server is asked, and nothing is tried.",
  examples: [
    "capstan admin repo generate-spec https://git.example/apps.git --username me --password secret",
    "capstan admin repo generate-spec git@git.example:apps.git --ssh-private-key-path ~/.ssh/id_ed25519",
    "capstan admin repo generate-spec https://charts.example --type helm --name charts",
  ],
  notes: "What is printed holds secrets: keep it as you keep them.\n",
  argument: "none",
  arity: [1, 1],
  flags: { ...repositoryFlags, ...formatFlags },
  async run({ args: [url = ""], flags, io }) {
    const { repo, type = "git", ...fields } = await describeRepository(url, flags, io);
    const secret = labelledSecret({
      name: repositorySecretName(repo, fields.project),
      type: "repository",
      fields: { ...fields, type, url: repo },
    });
    await writeSpec(secret, flags, io);
    return 0;
  },
});
