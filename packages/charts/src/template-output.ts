import { CapstanError, isCapstanError, type ManifestReader } from "@capstan/model";
import type { GeneratedManifest } from "@capstan/plugin-kit";

const mark = /^# Source: [^/\s]+\/(.*)$/;

/** Manifests that helm printed and the reader has heard, each with the template that its `# Source:` line names. */
export function readTemplateOutput(text: string, reader: ManifestReader, chart: string): GeneratedManifest[] {
  const templates = templateLines(text, chart);
  try {
    return reader.end().map(({ manifest, line }) => {
      const file = templateAt(templates, line);
      return file === undefined ? { manifest } : { manifest, origin: { file } };
    });
  } catch (error) {
    if (!isCapstanError(error)) throw error;
    const { failure } = error;
    if (failure.code !== "YAML_INVALID" && failure.code !== "MANIFEST_INVALID") throw error;
    const template = templateAt(templates, failure.line ?? 0);
    const file = template === undefined ? "output of helm" : `${template} (line of helm's output)`;
    throw new CapstanError({ ...failure, file }, error);
  }
}

function templateLines(text: string, chart: string): { line: number; file: string }[] {
  const found: { line: number; file: string }[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const file = mark.exec(line)?.[1];
    if (file !== undefined) found.push({ line: index + 1, file: chart === "" ? file : `${chart}/${file}` });
  }
  return found;
}

function templateAt(templates: readonly { line: number; file: string }[], line: number): string | undefined {
  return templates.findLast((template) => template.line <= line)?.file;
}
