import { createHash } from "node:crypto";
import { type ImageChange, nameOf, versionText } from "@capstan/engine";
import type { Application } from "@capstan/model";

export interface ImageTexts {
  readonly message: string;
  /** Empty: that which is followed. */
  readonly pushBranch: string;
}

/** argocd-image-updater: pkg/common DefaultGitCommitMessage. */
const usualMessage = `build: automatic update of {{ .AppName }}

{{ range .AppChanges -}}
updates image {{ .Image }} tag '{{ .OldTag }}' to '{{ .NewTag }}'
{{ end -}}
`;
const limits = { steps: 100_000, size: 2 ** 16 };
const maxBranch = 255;

/** What a commit says, and the branch that it goes to, by Go templates of settings and of the application. */
export async function imageTexts(
  app: Application,
  changes: readonly ImageChange[],
  { message, pushBranch, targetKey }: { message: string | undefined; pushBranch: string; targetKey: string },
): Promise<ImageTexts> {
  const { GoTemplate, sprig } = await import("@capstan/go-template");
  const print = (template: string, data: object) =>
    new GoTemplate(template, { functions: sprig }).execute(data, limits);
  const { name, namespace = "" } = app.metadata;
  const all = changes.map(({ rule, from, to }) => {
    const [old, next] = [versionText(from), versionText(to)];
    return { name: rule.image.path, alias: rule.alias, full: nameOf(rule.image), old, next };
  });
  const said = {
    AppName: name,
    AppChanges: all.map(({ full, old, next }) => ({ Image: full, OldTag: old, NewTag: next })),
  };
  const digest = createHash("sha256");
  for (const one of all) digest.update(`${one.name}-${one.old}-${one.next},`);
  const named = {
    AppName: name,
    AppNamespace: namespace,
    TargetKey: targetKey,
    SHA256: digest.digest("hex"),
    Images: all.map((one) => ({ Name: one.name, Alias: one.alias, OldTag: one.old, NewTag: one.next })),
  };
  const given = message === undefined || message.trim() === "" ? usualMessage : message;
  const branch = pushBranch === "" ? "" : print(pushBranch, named);
  return { message: print(given, said), pushBranch: branch.slice(0, maxBranch) };
}
