import { parseJson } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import { isManifest, type Manifest } from "@capstan/model";
import type { ChangedFile, ExplainedRender } from "@capstan/wire";
import { UsageError } from "../../command.ts";
import type { Io } from "../../io.ts";
import { countChanges, manifestDiff } from "../../output/manifest-diff.ts";
import { type Paint, painter } from "../../output/paint.ts";
import { unifiedDiff } from "../../output/unified-diff.ts";

type Stage = ExplainedRender["stages"][number];

/** The manifests as they are after one stage, or the files that it changed where it makes none. */
export function showStage(sources: readonly ExplainedRender[], wanted: string, io: Io): void {
  const found = sources.flatMap(({ stages }) => findStage(stages, wanted) ?? []);
  if (found.length === 0) {
    const names = sources.flatMap(({ stages }) => stages.map(({ name }, index) => `${index + 1} (${name})`));
    throw new UsageError(`--stage: there is no stage "${wanted}"; the stages are ${names.join(", ")}`);
  }
  for (const stage of found) {
    for (const manifest of manifestsOf(stage)) io.out(`---\n${dumpYaml(manifest)}`);
    if (stage.manifests.length === 0) io.out(fileDiffs(stage.files, painter(io)));
  }
}

/** What each stage changed, with its time. */
export function showStageDiffs(sources: readonly ExplainedRender[], io: Io): void {
  const paint = painter(io);
  for (const { stages } of sources) {
    let before: Manifest[] = [];
    for (const [index, stage] of stages.entries()) {
      const after = manifestsOf(stage);
      io.out(`${paint("cyan", heading(stage, { index, before, after }))}\n`);
      io.out(fileDiffs(stage.files, paint));
      const names = [index === 0 ? "nothing" : (stages[index - 1]?.name ?? ""), stage.name] as const;
      io.out(manifestDiff(before, after, { names, paint }));
      before = after;
    }
  }
}

function heading(
  { name, plugin, cache, ms, sensitive, files, shapes }: Stage,
  { index, before, after }: { index: number; before: readonly Manifest[]; after: readonly Manifest[] },
): string {
  const facts = [
    name === plugin ? shapes.join(", ") : `${plugin}: ${shapes.join(", ")}`,
    `${Math.round(ms)} ms${cache === "hit" ? " (cached)" : ""}`,
    ...(sensitive ? ["masked"] : []),
    ...(files.length > 0 ? [files.length === 1 ? "1 file" : `${files.length} files`] : []),
    countChanges(before, after) || "no manifest changed",
  ];
  return `# stage ${index + 1} ${name}: ${facts.join("; ")}`;
}

function fileDiffs(files: readonly ChangedFile[], paint: Paint): string {
  return files
    .map(({ path, change, before, after }) => {
      if (before === undefined && after === undefined) return `${path}: ${change}\n`;
      return unifiedDiff(before ?? "", after ?? "", { names: [`a/${path}`, `b/${path}`], paint });
    })
    .join("");
}

/** By its name, else by its position from 1. */
function findStage(stages: readonly Stage[], wanted: string): Stage | undefined {
  const byName = stages.find(({ name }) => name === wanted);
  return byName ?? (/^\d+$/.test(wanted) ? stages[Number(wanted) - 1] : undefined);
}

function manifestsOf({ manifests }: Stage): Manifest[] {
  return manifests.map((text) => parseJson(text)).filter(isManifest);
}
