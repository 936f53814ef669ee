/** Reporter of node:test: the twenty files that took longest, without the start of their processes. */
import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";

const shown = 20;

export default async function* slowest(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: { file: string; ms: number }[] = [];
  for await (const event of source)
    if (event.type === "test:summary" && event.data.file !== undefined)
      files.push({ file: relative(process.cwd(), event.data.file), ms: event.data.duration_ms });
  const all = files.reduce((sum, { ms }) => sum + ms, 0);
  files.sort((left, right) => right.ms - left.ms);
  yield `\nthe slowest of ${files.length} files, which took ${seconds(all)} together\n`;
  for (const { file, ms } of files.slice(0, shown)) yield `${seconds(ms)}  ${file}\n`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(6)} s`;
}
