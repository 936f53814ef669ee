import { defineCommand, ExitError } from "../../command.ts";
import { readText } from "../../read-text.ts";

export default defineCommand({
  usage: "--batch",
  help: "Add SSH keys that repositories' servers are known by, as ssh-keyscan prints them.",
  examples: ["ssh-keyscan git.example | capstan cert add-ssh --batch"],
  argument: "none",
  arity: [0, 0],
  flags: {
    from: { kind: "string", help: "File with the lines; without it standard input", value: "FILE" },
    batch: { kind: "boolean", help: "Needed, as with argocd" },
    upsert: { kind: "boolean", help: "Replace those that are there" },
  },
  async run({ flags, io, api }) {
    if (!flags.batch)
      throw new ExitError("you need to specify --batch or specify --help for usage instructions", 20);
    if (flags.from) io.out(`Reading SSH known hosts entries from file '${flags.from}'\n`);
    else if (io.errIsTerminal)
      io.err("Enter SSH known hosts entries, one per line. Press CTRL-D when finished.\n");
    const items = readKnownHosts(await readText(flags.from ?? "-", io));
    if (items.length === 0) throw new ExitError("No valid SSH known hosts data found.", 20);
    const client = await api();
    const created = await client.call("createCertificates", {
      certificates: { items },
      upsert: flags.upsert ?? false,
    });
    io.out(`Successfully created ${created.items?.length ?? 0} SSH known host entries\n`);
    return 0;
  },
});

/** `HOST[,HOST…] TYPE KEY`, one entry for each host; what is no such line is told. */
function readKnownHosts(text: string) {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.flatMap((line, index) => {
    if (line === "" || line.startsWith("#")) return [];
    const [hosts = "", certSubType = "", key = ""] = line.split(/\s+/);
    if (hosts.startsWith("@") || hosts.startsWith("|"))
      throw new ExitError(`line ${index + 1}: marked and hashed hosts are not taken; name the host`, 20);
    if (key === "" || !/^[A-Za-z0-9+/]+=*$/.test(key))
      throw new ExitError(`line ${index + 1} is not HOST TYPE KEY, as ssh-keyscan prints it`, 20);
    const certData = Buffer.from(key).toString("base64");
    return hosts.split(",").map((serverName) => ({ serverName, certType: "ssh", certSubType, certData }));
  });
}
