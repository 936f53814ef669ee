import { X509Certificate } from "node:crypto";
import { defineCommand, ExitError } from "../../command.ts";
import { readText } from "../../read-text.ts";

export default defineCommand({
  usage: "SERVERNAME",
  help: "Add certificates or authorities that a repository's server is believed by.",
  examples: ["capstan cert add-tls git.example --from ~/git.example.pem"],
  argument: "none",
  arity: [1, 1],
  flags: {
    from: { kind: "string", help: "File with the PEM texts; without it standard input", value: "FILE" },
    upsert: { kind: "boolean", help: "Replace those that are there" },
  },
  async run({ args: [serverName = ""], flags, io, api }) {
    if (flags.from) io.out(`Reading TLS certificate data in PEM format from '${flags.from}'\n`);
    else if (io.errIsTerminal)
      io.err("Enter TLS certificate data in PEM format. Press CTRL-D when finished.\n");
    const found = pemTexts(await readText(flags.from ?? "-", io));
    if (found.length === 0) {
      io.out("No valid certificates have been detected in the stream.\n");
      return 0;
    }
    const certData = Buffer.from(found.join("\n")).toString("base64");
    const client = await api();
    const { items = [] } = await client.call("createCertificates", {
      certificates: { items: [{ serverName, certType: "https", certData }] },
      upsert: flags.upsert ?? false,
    });
    io.out(`Created entry with ${items.length} PEM certificates for repository server ${serverName}\n`);
    return 0;
  },
});

/** Each with what it says of itself checked; one of a subject that was there already is left out by argocd, and here refused. */
function pemTexts(text: string): string[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const begun = text.match(/-----BEGIN CERTIFICATE-----/g) ?? [];
  if (begun.length !== found.length)
    throw new ExitError(
      `${begun.length} certificates begin in the text, and ${found.length} are whole: nothing is sent`,
      20,
    );
  const subjects = new Set<string>();
  for (const [index, pem] of found.entries()) {
    const subject = subjectOf(pem, index);
    if (subjects.has(subject))
      throw new ExitError(`certificate ${index + 1}: "${subject}" stands in the text twice`, 20);
    subjects.add(subject);
  }
  return found;
}

function subjectOf(pem: string, index: number): string {
  try {
    return new X509Certificate(pem).subject;
  } catch (error) {
    throw new ExitError(
      `certificate ${index + 1} cannot be read: ${error instanceof Error ? error.message : error}`,
      20,
    );
  }
}
