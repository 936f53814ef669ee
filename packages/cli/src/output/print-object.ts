import { stringifyJson } from "@capstan/formats";
import type { Io } from "../io.ts";

/** Whole objects as a program reads them. YAML's writer is loaded only when it is asked for. */
export async function printObject(
  io: Pick<Io, "out">,
  format: "json" | "yaml",
  value: unknown,
): Promise<void> {
  const { dumpYaml } = await import("@capstan/formats/yaml");
  io.out(format === "json" ? `${stringifyJson(value, 2)}\n` : dumpYaml(value));
}

export function isObjectFormat(format: string | undefined): format is "json" | "yaml" {
  return format === "json" || format === "yaml";
}
