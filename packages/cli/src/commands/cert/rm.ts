import { defineCommand, ExitError } from "../../command.ts";
import { confirmIfEnabled } from "../../confirm.ts";

export default defineCommand({
  usage: "REPOSERVER",
  help: "Remove certificates and SSH keys of repositories' servers.",
  examples: ["capstan cert rm git.example", "capstan cert rm git.example --cert-type ssh"],
  argument: "none",
  arity: [1, 1],
  flags: {
    "cert-type": { kind: "string", help: "Only of this type", choices: ["ssh", "https"] },
    "cert-sub-type": { kind: "string", help: "Only SSH keys of this type", value: "TYPE" },
  },
  async run({ args: [hostNamePattern = ""], flags, io, global, api }) {
    if (hostNamePattern === "*")
      throw new ExitError("A single wildcard is not allowed as REPOSERVER name.", 20);
    const question = `Are you sure you want to remove all certificates for '${hostNamePattern}'?`;
    if (!(await confirmIfEnabled(io, global, question))) {
      io.out(`The command to remove all certificates for '${hostNamePattern}' was cancelled.\n`);
      return 0;
    }
    const { "cert-type": certType, "cert-sub-type": certSubType } = flags;
    const client = await api();
    const { items = [] } = await client.call("deleteCertificates", {
      hostNamePattern,
      certType,
      certSubType,
    });
    const lines = items.map(
      (one) =>
        `Removed cert for '${one.serverName}' of type '${one.certType}' (subtype '${one.certSubType ?? ""}')\n`,
    );
    io.out(lines.join("") || "No certificates were removed (none matched the given pattern)\n");
    return 0;
  },
});
