/** Makes packages/wire/src/generated from packages/wire/proto; with --check only says whether they agree. */
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onlyChecks } from "@capstan/testkit/program-flags";

const isCheck = onlyChecks();
const wire = join(import.meta.dirname, "..", "packages", "wire");
const kept = join(wire, "src", "generated");
const own = mkdtempSync(join(tmpdir(), "capstan-protocols-"));
/** Made by buf: a folder of mkdtemp, copied with its mode, would be its maker's alone to read. */
const fresh = join(own, "generated");

try {
  const plugins = [{ local: "protoc-gen-es", out: fresh, opt: ["target=ts", "import_extension=ts"] }];
  const template = JSON.stringify({ version: "v2", plugins });
  const { status, error } = spawnSync("buf", ["generate", "--template", template], {
    cwd: wire,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("buf generate failed; run it through npm run generate", { cause: error });
  if (!isCheck) {
    rmSync(kept, { recursive: true, force: true });
    cpSync(fresh, kept, { recursive: true });
    console.log(`packages/wire/src/generated: ${filesOf(kept).length} files`);
  } else if (!isSame()) {
    console.error("packages/wire/src/generated is out of date; run npm run generate");
    process.exitCode = 1;
  }
} finally {
  rmSync(own, { recursive: true, force: true });
}

function filesOf(folder: string): string[] {
  return globSync("**/*.ts", { cwd: folder }).toSorted();
}

function isSame(): boolean {
  const wanted = filesOf(fresh);
  return (
    wanted.join() === filesOf(kept).join() &&
    wanted.every((file) => readFileSync(join(fresh, file)).equals(readFileSync(join(kept, file))))
  );
}
