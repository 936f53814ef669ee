import { readFile } from "node:fs/promises";
import { defineCommand, ExitError } from "../../command.ts";

export default defineCommand({
  usage: "",
  help: "Add GnuPG keys that commits may be signed with.",
  examples: ["capstan gpg add --from team.asc"],
  argument: "none",
  arity: [0, 0],
  flags: { from: { kind: "string", short: "f", help: "File with the armored keys", value: "FILE" } },
  async run({ flags, io, api }) {
    if (!flags.from) throw new ExitError("--from is mandatory", 20);
    const keyData = await readFile(flags.from, "utf8");
    const { created, skipped = [] } = await (await api()).call("createGpgKeys", { publickey: { keyData } });
    const also =
      skipped.length > 0 ? `, and ${skipped.length} key(s) were skipped because they exist already` : "";
    io.out(`Created ${created?.items?.length ?? 0} key(s) from input file${also}.\n`);
    return 0;
  },
});
