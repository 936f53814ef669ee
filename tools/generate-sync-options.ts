/** Writes the table of docs/syncing.md from packages/model/src/sync-options. With --check only says whether they agree. */
import { syncOptionList } from "@capstan/model";
import { cell, keepSections } from "./page-sections.ts";

const rows = syncOptionList.map(([name, { values, byDefault, saidBy, sentence, detail }]) => {
  const texts = Object.keys(values).map((value) => `\`${value}\`${value === byDefault ? " (default)" : ""}`);
  const place = { application: "list", object: "object", both: "list, object" }[saidBy];
  const does = detail === undefined ? sentence : `${sentence}; ${detail}`;
  return `| \`${name}\` | ${texts.join(", ")} | ${place} | ${cell(does)} |`;
});
const table = ["| option | values | said in | |", "|---|---|---|---|", ...rows].join("\n");
await keepSections("syncing.md", { "sync options": table }, `${rows.length} sync options`);
