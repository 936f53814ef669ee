import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parse } from "yaml";
import { editKustomizationFile } from "./edit-file.ts";

const before = `# of the application
resources:
- deploy.yaml
images:
- name: b
  newTag: "1"
# for the people on call
commonAnnotations:
  zed: why
labels:
- pairs:
    a: b
`;
const kustomize = join(import.meta.dirname, "..", "..", "..", "testenv", "bin", "kustomize");

const digest = `sha256:${"24a0c4b4".repeat(8)}`;
const edits: readonly (readonly string[])[] = [
  ["set", "annotation", "example.com/url:"],
  ["set", "annotation", "example.com/url:https://a/b:c", 'quoted:"x"', "zed:new"],
  ["set", "annotation", "novalue"],
  ["set", "annotation", ":x"],
  ["set", "annotation", "bad key:x"],
  ["set", "image", "a:2", `b=c:3@${digest}`],
  ["set", "image", "b=*:4"],
  ["set", "image", "x:"],
  ["set", "image", "x"],
  ["set", "image"],
  ["set", "label", "a:b,c:d", "e:f:g"],
  ["set", "replicas", "two=2", "one=1"],
  ["set", "replicas", "one"],
  ["set", "namespace", "shop"],
  ["set", "namespace", "shop", "other"],
  ["set", "nameprefix", "pre-"],
  ["set", "namesuffix", "--", "-post"],
  ["set", "buildmetadata", "managedByLabel"],
  ["set", "buildmetadata", "nonsense"],
  ["add", "annotation", "zed:other"],
  ["add", "annotation", "zed:other", "--force"],
  ["add", "label", "a:b"],
  ["add", "label", "c:d", "--without-selector"],
  ["add", "label", "c:d", "--without-selector", "--include-templates"],
  ["add", "label", "a:d", "--without-selector"],
  ["add", "label", "c:d", "--include-templates"],
  ["add", "resource", "two.yaml"],
  ["add", "resource", "*.yaml"],
  ["add", "resource", "deploy.yaml"],
  ["add", "resource", "absent.yaml"],
  ["add", "component", "two.yaml"],
  ["add", "transformer", "two.yaml"],
  ["remove", "resource", "*.yaml"],
  ["remove", "resource", "absent.yaml"],
  ["remove", "annotation", "zed"],
  ["remove", "annotation", "absent"],
  ["remove", "annotation", "absent", "-i"],
  ["remove", "label", "absent"],
];

function folder(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "capstan-edit-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, "kustomization.yaml"), before);
  writeFileSync(join(directory, "deploy.yaml"), "{}");
  writeFileSync(join(directory, "two.yaml"), "{}");
  return directory;
}

async function ours(t: TestContext, argv: readonly string[]): Promise<string> {
  const directory = folder(t);
  const failed = await editKustomizationFile(directory, argv).then(
    () => false,
    () => true,
  );
  return failed ? "refused" : readFileSync(join(directory, "kustomization.yaml"), "utf8");
}

function theirs(t: TestContext, argv: readonly string[]): string {
  const cwd = folder(t);
  try {
    execFileSync(kustomize, ["edit", ...argv], { cwd, stdio: "ignore" });
  } catch {
    return "refused";
  }
  return readFileSync(join(cwd, "kustomization.yaml"), "utf8");
}

test("kustomize edit does what the real one does", async (t) => {
  if (!existsSync(kustomize)) return t.skip("kustomize is not built: npm run testenv kustomize");
  for (const argv of edits)
    assert.deepEqual(parse(await ours(t, argv)), parse(theirs(t, argv)), `kustomize edit ${argv.join(" ")}`);
});

test("comments and the order of keys stay", async (t) => {
  const edited = await ours(t, ["set", "image", "b:2"]);
  const added = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";
  assert.equal(edited, `${before.replace('"1"', '"2"')}${added}`);
});

test("a field that does not come with Capstan is named", async (t) => {
  await assert.rejects(
    editKustomizationFile(folder(t), ["add", "secret", "x"]),
    /"kustomize edit add secret" does not come with Capstan .*: install kustomize/,
  );
});
