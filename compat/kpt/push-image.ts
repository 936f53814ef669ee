import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import { realProgramPath } from "@capstan/testkit";

const run = promisify(execFile);

export const crane = (...args: readonly string[]) => run(realProgramPath("crane"), args);

/** Pushes a folder as an image of one layer. `settings`: flags of `crane mutate`. */
export async function pushImage(image: string, root: string, settings: readonly string[]): Promise<void> {
  const archive = `${root}.tar`;
  await run("tar", ["-C", root, "-cf", archive, "."]);
  await crane("append", "--oci-empty-base", "--new_layer", archive, "--new_tag", image);
  await crane("mutate", image, "--tag", image, ...settings);
  await rm(archive);
}
