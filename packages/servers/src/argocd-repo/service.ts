import { hash } from "node:crypto";
import { type Tracking, track } from "@capstan/engine";
import { stringifyJson } from "@capstan/formats";
import { CapstanError, isApplication, sourcesOf } from "@capstan/model";
import type { Handlers } from "@capstan/plugin-kit/grpc";
import type { ManifestRequest, RepoServer } from "@capstan/wire";
import { argocdTypes, type reposerver, repositoryService } from "@capstan/wire/repo-protocols";
import { jsonOfMessage, messageOfJson } from "@capstan/wire/rpc";
import { artifactDetails } from "../artifact-details.ts";
import { sourceDetails } from "../source-details.ts";
import {
  readDetailsQuery,
  readManifestRequest,
  readRepository,
  readRevisionRequest,
} from "./read-request.ts";

type Service = Handlers<typeof reposerver.RepoServerService>;

/** Files in place of a repository: what Argo CD takes too (ARGOCD_REPO_SERVER_STREAMED_MANIFEST_MAX_TAR_SIZE is 100M). */
const maxSentBytes = 90_000_000;
/** Directories are looked for so deep. */
const maxDepth = 30;

/** A repo server as Argo CD's application-controller, server and applicationset-controller ask theirs. */
export function argocdRepoService(repo: RepoServer): Service {
  const generate = async (
    given: reposerver.ManifestRequest,
    request: ManifestRequest,
    signal: AbortSignal,
  ) => {
    refuseVerification(given.verifySignature);
    if (isNothingToRender(given)) return { revision: (await repo.resolveRevision(request, signal)).revision };
    const { manifests, revision, sourceType, commands } = await repo.generateManifests(request, signal);
    const tracking = trackingOf(given);
    const owner = { instance: given.appName, namespace: given.namespace };
    const tracked = manifests.map(({ manifest }) =>
      stringifyJson(tracking ? track(manifest, owner, tracking) : manifest),
    );
    return { manifests: tracked, revision, sourceType, commands: [...commands] };
  };
  return {
    generateManifest: (given, { signal }) => generate(given, readManifestRequest(given), signal),
    generateManifestWithFiles: async (parts, { signal }) => {
      const { given, uploaded } = await receiveFiles(parts);
      return generate(given, { ...readManifestRequest(given), uploaded }, signal);
    },
    async testRepository({ repo: given }, { signal }) {
      await repo.testRepository({ repository: readRepository(given) }, signal);
      return { verifiedRepository: true };
    },
    ...revisionCalls(repo),
    async listApps(given, { signal }) {
      return { apps: await repo.listApps(readRevisionRequest(given), signal) };
    },
    async listPlugins() {
      const plugins = await repo.listPlugins();
      return { items: plugins.filter(({ origin }) => origin !== "built-in").map(({ name }) => ({ name })) };
    },
    async getAppDetails(given, { signal }) {
      const details = sourceDetails(await repo.describeSource(readDetailsQuery(given), signal));
      return messageOfJson(repositoryService.RepoAppDetailsResponseSchema, details);
    },
    async getHelmCharts({ repo: given }, { signal }) {
      const items = await repo.listCharts({ repository: readRepository(given) }, signal);
      return { items };
    },
    ...contentCalls(repo),
  };
}

function revisionCalls(repo: RepoServer) {
  const listRefs: Service["listRefs"] = ({ repo: given }, { signal }) =>
    repo.listRefs({ repository: readRepository(given) }, signal);
  const metadata = (given: Parameters<typeof readRevisionRequest>[0], signal: AbortSignal) =>
    repo.revisionMetadata({ ...readRevisionRequest(given), withDetails: true }, signal);
  return {
    async resolveRevision({ repo: given, app, ambiguousRevision, sourceIndex }, { signal }) {
      const read = app && jsonOfMessage(argocdTypes.ApplicationSchema, app);
      const application = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", ...asRecord(read) };
      const source = isApplication(application) ? sourcesOf(application)[Number(sourceIndex)] : undefined;
      const request = readRevisionRequest({
        repo: given,
        revision: ambiguousRevision,
        noRevisionCache: true,
      });
      const asked = { ...request, ...(source ? { source } : {}) };
      const { revision, ambiguous } = await repo.resolveRevision(asked, signal);
      return { revision, ambiguousRevision: ambiguous };
    },
    listRefs,
    listOCITags: listRefs,
    async getRevisionMetadata(given, { signal }) {
      refuseVerification(given.checkSignature);
      const { author, date, tags, message } = await repo.revisionMetadata(readRevisionRequest(given), signal);
      const json = { author, date, tags, message };
      return messageOfJson(argocdTypes.RevisionMetadataSchema, json);
    },
    async getOCIMetadata({ repo: given, revision }, { signal }) {
      const { artifact = {} } = await metadata({ repo: given, revision }, signal);
      return artifactDetails(artifact);
    },
    async getRevisionChartDetails({ repo: given, name, revision }, { signal }) {
      const { chart } = await metadata({ repo: given, revision, chart: name }, signal);
      return chart ?? {};
    },
    /** What has not changed in what a render reads is not rendered again: it need not be asked first. */
    async updateRevisionForPaths(given, { signal }) {
      const { revision } = await repo.resolveRevision(readRevisionRequest(given), signal);
      return { changes: true, revision };
    },
  } satisfies Partial<Service>;
}

function contentCalls(repo: RepoServer) {
  return {
    async getGitFiles(given, { signal }) {
      refuseVerification(given.verifyCommit);
      const files = [{ path: given.path === "" ? "." : given.path }];
      const request = { ...readRevisionRequest(given), files, doublestar: given.NewGitFileGlobbingEnabled };
      const { files: found = [] } = await repo.readGitContent(request, signal);
      const encoder = new TextEncoder();
      const texts = found.map(({ path, objects }) => [
        path,
        encoder.encode(stringifyJson(objects.length === 1 ? objects[0] : objects)),
      ]);
      return { map: Object.fromEntries(texts) };
    },
    async getGitDirectories(given, { signal }) {
      refuseVerification(given.verifyCommit);
      const directories = Array.from({ length: maxDepth }, (_, depth) => ({
        path: `${"*/".repeat(depth)}*`,
      }));
      const request = { ...readRevisionRequest(given), directories };
      const { directories: paths = [] } = await repo.readGitContent(request, signal);
      return { paths: [...paths] };
    },
  } satisfies Partial<Service>;
}

/** Of several sources one that only lends files has no manifests (reposerver/repository GenerateManifest). */
function isNothingToRender({ hasMultipleSources, applicationSource }: reposerver.ManifestRequest): boolean {
  return hasMultipleSources && !applicationSource?.path && !applicationSource?.chart;
}

/** The keys by which signatures are judged are settings, which a repo server does not read: nothing passes as signed. */
function refuseVerification(isWanted: boolean): void {
  if (!isWanted) return;
  throw new CapstanError({
    code: "FAILED_PRECONDITION",
    what: "the signature of the commit",
    problem:
      "cannot be verified for Argo CD's programs by Capstan's repo server: let capstan controller, which brings the keys, look after projects with signatureKeys",
  });
}

function trackingOf(given: reposerver.ManifestRequest): Tracking | undefined {
  const { appLabelKey, appName, trackingMethod, installationID } = given;
  if (appLabelKey === "" || appName === "") return undefined;
  const method =
    trackingMethod === "label" || trackingMethod === "annotation+label" ? trackingMethod : "annotation";
  return {
    method,
    instanceLabelKey: appLabelKey,
    ...(installationID === "" ? {} : { installationId: installationID }),
  };
}

async function receiveFiles(parts: AsyncIterable<reposerver.ManifestRequestWithFiles>) {
  let given: reposerver.ManifestRequest | undefined;
  let checksum: string | undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const { part } of parts) {
    if (part.case === "request") given = part.value;
    else if (part.case === "metadata") checksum = part.value.checksum;
    else if (part.case === "chunk") {
      chunks.push(part.value.chunk);
      bytes += part.value.chunk.length;
    }
    if (bytes > maxSentBytes)
      throw new CapstanError({
        code: "OUTPUT_TOO_LARGE",
        what: "the files that were sent",
        limitBytes: maxSentBytes,
      });
  }
  const sent = Buffer.concat(chunks);
  if (!given || checksum === undefined)
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "part",
      problem: "request and metadata must come",
    });
  if (hash("sha256", sent) !== checksum.toLowerCase())
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "checksum",
      problem: "is not the SHA-256 of the files that arrived",
    });
  return { given, uploaded: sent.toString("base64") };
}

const asRecord = (value: unknown): object => (typeof value === "object" && value !== null ? value : {});
