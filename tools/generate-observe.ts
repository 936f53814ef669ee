/** Writes deploy/observe/dashboards from tools/observe. With --check only says whether they agree. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onlyChecks } from "@capstan/testkit/program-flags";
import { dashboards } from "./observe/dashboards.ts";
import { grafanaOf } from "./observe/grafana.ts";

const isCheck = onlyChecks();

const folder = join(import.meta.dirname, "..", "deploy", "observe", "dashboards");
await mkdir(folder, { recursive: true });
for (const dashboard of dashboards) {
  const file = join(folder, `${dashboard.uid}.json`);
  const wanted = `${JSON.stringify(grafanaOf(dashboard), undefined, 2)}\n`;
  if (!isCheck) await writeFile(file, wanted);
  else if ((await readFile(file, "utf8").catch(() => "")) !== wanted) {
    console.error(`deploy/observe/dashboards/${dashboard.uid}.json is out of date; run npm run generate`);
    process.exitCode = 1;
  }
}
console.log(`deploy/observe/dashboards: ${dashboards.length} dashboards`);
