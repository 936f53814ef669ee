import { createHash } from "node:crypto";
import type { ImagePlan, WriteBack } from "@capstan/engine";
import { isNotFound } from "@capstan/kube";
import {
  annotationKeys,
  argoApiVersion,
  comparedRevisions,
  projectOf,
  withoutUserinfo,
} from "@capstan/model";
import { serverLanes, serverOf } from "@capstan/planning";
import { planGitWrite } from "./plan-git-write.ts";
import { requestMerge } from "./request-merge.ts";
import type { UpdateMemory } from "./update-memory.ts";
import type { StoredApplication, UpdaterNeeds } from "./updater-needs.ts";

/** Commits that are made at a time. */
const most = { atServer: 4, ofProject: 16 };

/**
 * Commits what a plan changes and has the Application look at it. Resolves to what was written, for people; nothing
 * where it stood there already. Nothing is remembered that matters: what was pushed before a kill is found in git.
 */
export async function writeGit(
  needs: UpdaterNeeds,
  {
    app,
    plan,
    writeBack,
    memory,
  }: {
    app: StoredApplication;
    plan: ImagePlan;
    writeBack: Extract<WriteBack, { method: "git" }>;
    memory: UpdateMemory;
  },
  signal: AbortSignal,
): Promise<string | undefined> {
  const request = await planGitWrite(needs, { app, plan, writeBack }, signal);
  // A person may have set it back since: then the revision is another one, and git is asked again.
  const digest = createHash("sha256")
    .update(JSON.stringify([request.edits, request.base, request.branch, comparedRevisions(app)]))
    .digest("base64url");
  if (memory.written === digest) return undefined;
  const { url } = request.repository;
  const project = `${app.metadata.namespace ?? ""}/${projectOf(app)}`;
  const lanes = serverLanes({ server: serverOf(url), project }, most);
  const written = await needs.lanes.run(lanes, () => needs.repo.writeFiles(request, signal), signal);
  const { revision, branch, files } = written;
  if (writeBack.request) {
    const asked = { request, written, writeBack: { ...writeBack, request: writeBack.request } };
    const merge = await requestMerge(needs, asked, signal);
    memory.written = digest;
    if (merge?.outcome !== "opened" && merge?.outcome !== "changed") return undefined;
    const lacks = merge.lacks === undefined ? "" : `; ${merge.lacks}`;
    return `in request ${merge.number} of ${withoutUserinfo(url)}, branch ${branch}, ${merge.outcome}${lacks}`;
  }
  // Also where it stood there already: whoever pushed it may have been killed before anybody was told.
  if (!comparedRevisions(app).includes(revision)) {
    needs.repo.forgetRevisions(url);
    await refresh(needs, app, signal);
  }
  memory.written = digest;
  if (files.length === 0) return undefined;
  return `in ${withoutUserinfo(url)}, branch ${branch}, commit ${revision.slice(0, 12)} (${files.join(", ")})`;
}

async function refresh(
  { client, live }: UpdaterNeeds,
  { metadata: { name, namespace } }: StoredApplication,
  signal: AbortSignal,
): Promise<void> {
  const ref = { apiVersion: argoApiVersion, kind: "Application", namespace, name };
  const body = { metadata: { annotations: { [annotationKeys.refresh]: "normal" } } };
  try {
    live.observe(await client.patch(ref, { type: "merge", body }, { signal }));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
