import { isRecord } from "@capstan/formats";
import { parseYaml } from "@capstan/model";
import type { SourceTree } from "@capstan/plugin-kit";
import type { RevisionMetadata } from "@capstan/wire";

const file = "Chart.yaml";

/** What Chart.yaml says to people (reposerver/repository getChartDetails). */
export async function readChartDetails(tree: SourceTree): Promise<NonNullable<RevisionMetadata["chart"]>> {
  const entry = await tree.entry(file);
  const content = entry ? parseYaml((await tree.read(entry)).toString("utf8"), { file }) : undefined;
  const chart = isRecord(content) ? content : {};
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const maintainers = (Array.isArray(chart.maintainers) ? chart.maintainers : []).filter(isRecord);
  return {
    description: text(chart.description),
    home: text(chart.home),
    maintainers: maintainers.map(({ name, email }) =>
      text(email) === "" ? text(name) : `${text(name)} <${text(email)}>`.trim(),
    ),
  };
}
