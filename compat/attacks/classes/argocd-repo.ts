/** What a program may say that stands in the place of Argo CD's repo server (`--repo-server-protocol argocd`). */
import assert from "node:assert/strict";
import type { ServerHttp2Stream } from "node:http2";
import { gzipSync } from "node:zlib";
import { eventually, sketchApplication, untilApplication } from "@capstan/testkit";
import type { Attack } from "../attack.ts";
import {
  type Answer,
  begin,
  commit,
  framed,
  kept,
  type LyingRepo,
  manifestBytes,
  prefixOf,
  says,
  startLyingRepo,
  truth,
} from "../lying-repo.ts";

const signal = () => AbortSignal.timeout(100_000);

interface Lie {
  readonly answer: Answer;
  /** What the Application says then, behind the server's address. */
  readonly told: RegExp;
  /** Default: a branch. */
  readonly targetRevision?: string;
}

const honest = { revision: commit, sourceType: "Directory" };
const text = JSON.stringify(kept);
const mebibyte = 2 ** 20;

/** Goes on for as long as somebody reads. */
function flood(stream: ServerHttp2Stream, piece: Uint8Array): void {
  const more = (): void => {
    while (!stream.destroyed && stream.write(piece));
    if (!stream.destroyed) stream.once("drain", more);
  };
  more();
}

const endless: Readonly<Record<string, Lie>> = {
  "an answer of 4 GB": {
    answer(stream) {
      begin(stream);
      stream.write(prefixOf(2 ** 32 - 1));
      flood(stream, Buffer.alloc(mebibyte));
    },
    told: /larger than max.*ARGOCD_GRPC_MAX_SIZE_MB/,
  },
  "one answer after the other": {
    answer(stream) {
      begin(stream);
      flood(stream, framed(manifestBytes({ ...honest, manifests: [text] })));
    },
    // The second is never read.
    told: /--repo-server-timeout-seconds.*longer than 3 s/,
  },
  "a gigabyte in a megabyte": {
    answer(stream) {
      begin(stream, { "grpc-encoding": "gzip" });
      stream.end(framed(gzipped(), 1));
    },
    told: /decompresses to a size larger.*ARGOCD_GRPC_MAX_SIZE_MB/,
  },
  "no answer": { answer: (stream) => begin(stream), told: /--repo-server-timeout-seconds.*longer than 3 s/ },
  "a byte now and then": {
    answer(stream) {
      begin(stream);
      stream.write(prefixOf(50 * mebibyte));
      const dripping = setInterval(() => stream.write("x"), 50);
      stream.once("close", () => clearInterval(dripping));
    },
    told: /--repo-server-timeout-seconds.*longer than 3 s/,
  },
};

let packed: Buffer | undefined;
const gzipped = (): Buffer => (packed ??= gzipSync(Buffer.alloc(2 ** 30)));

const numberless: Readonly<Record<string, Lie>> = {
  "empty manifests": {
    answer: (stream) => says(Buffer.alloc(99 * mebibyte, "\n\0"))(stream),
    told: /more than 1000000 values/,
  },
  "unknown fields": {
    answer: (stream) => says(Buffer.alloc(99 * mebibyte, "x\x01"))(stream),
    told: /more than 1000000 values/,
  },
  "a million manifests": {
    answer: (stream) =>
      says(manifestBytes({ ...honest, manifests: Array(900_000).fill(text.slice(0, 90)) }))(stream),
    told: /more than 50000 manifests; nothing is taken/,
  },
  "manifests of many values": {
    answer: (stream) => {
      const many = JSON.stringify({ ...kept, data: { a: Array(200_000).fill(0) } });
      says(manifestBytes({ ...honest, manifests: Array(40).fill(many) }))(stream);
    },
    told: /more than 2500000 values together; nothing is taken/,
  },
  "a manifest of one depth after the other": {
    answer: (stream) => says(manifestBytes({ ...honest, manifests: ["[".repeat(mebibyte)] }))(stream),
    told: /document 1.*nested more than/,
  },
};

const other = "b".repeat(40);
const misplaced: Readonly<Record<string, Lie>> = {
  "another commit": {
    answer: says(manifestBytes({ ...honest, manifests: [] })),
    targetRevision: other,
    told: new RegExp(`of commit ${commit}, where ${other} was asked for; nothing is taken`),
  },
  "no commit": {
    answer: says(manifestBytes({ manifests: [], sourceType: "Directory" })),
    told: /"" is no commit; nothing is taken/,
  },
  "a commit that is a page": {
    answer: says(manifestBytes({ ...honest, revision: "<b>".repeat(100_000) })),
    told: /is no commit; nothing is taken/,
  },
  "a type of its own": {
    answer: says(manifestBytes({ ...honest, sourceType: "x y".repeat(100_000) })),
    told: /is no type of a source; nothing is taken/,
  },
};

const broken: Readonly<Record<string, Lie>> = {
  "what is no message": {
    answer: says(Buffer.from("<html>not here</html>")),
    told: /parsing error.*see its log, and whether --repo-server names the right program/,
  },
  "half an answer": {
    answer(stream) {
      begin(stream);
      stream.write(prefixOf(mebibyte));
      stream.write("half", () => stream.close(2));
    },
    told: /RST_STREAM.*see its log/,
  },
  "a connection that ends": {
    answer(stream) {
      begin(stream);
      stream.write(prefixOf(mebibyte), () => stream.session?.destroy());
    },
    told: /is not available/,
  },
  "no manifest": {
    answer: says(manifestBytes({ ...honest, manifests: ['"text"'] })),
    told: /document 1.*is not a JSON object with apiVersion/,
  },
  "a failure of sixty thousand letters": {
    answer: (stream) =>
      stream.respond(
        {
          ":status": 200,
          "content-type": "application/grpc",
          "grpc-status": "2",
          "grpc-message": "no".repeat(20_000),
        },
        { endStream: true },
      ),
    told: /(?:no){2000}/,
  },
};

const refresh = "argocd.argoproj.io/refresh";
const ref = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd", name: "lied-to" };

async function ask({ kube }: LyingRepo, targetRevision: string): Promise<void> {
  const body = {
    metadata: { annotations: { [refresh]: "hard" } },
    spec: { source: { targetRevision } },
  };
  await kube.patch(ref, { type: "merge", body }, { signal: signal() });
}

async function untilSynced(repo: LyingRepo): Promise<void> {
  repo.answer = truth;
  await ask(repo, "main");
  const isSo = ({
    sync,
    conditions,
  }: {
    sync: string | undefined;
    conditions: readonly { type: string }[];
  }) => sync === "Synced" && !conditions.some(({ type }) => type === "ComparisonError");
  await untilApplication(repo.kube, "lied-to", { isSo, limitMs: 100_000 });
  // Who asks while it looks has asked for nothing more.
  const isAnswered = async () => !(await repo.kube.get(ref, signal()))?.metadata.annotations?.[refresh];
  const describe = () => `it does not look: ${repo.output().slice(-2_000)}`;
  await eventually(async () => (await isAnswered()) || undefined, { signal: signal(), describe });
}

/** An Application that prunes by itself is told each lie; what it deploys stays, and the truth is taken after it. */
async function tells(lies: Readonly<Record<string, Lie>>): Promise<void> {
  await using repo = await startLyingRepo();
  const automated = { prune: true, selfHeal: true };
  const application = sketchApplication({
    name: "lied-to",
    repoURL: "https://git.example.com/team/app.git",
    path: "app",
    destination: { server: "https://kubernetes.default.svc", namespace: "lied-to" },
    syncPolicy: { automated, syncOptions: ["CreateNamespace=true"] },
  });
  await repo.kube.create(application, { signal: signal() });
  await untilSynced(repo);
  const { uid } = (await repo.kube.get({ ...kept, ...kept.metadata }, signal()))?.metadata ?? assert.fail();
  for (const [name, { answer, told, targetRevision = "main" }] of Object.entries(lies)) {
    repo.answer = answer;
    await ask(repo, targetRevision);
    const isSo = ({ conditions }: { conditions: readonly { type: string; message: string }[] }) =>
      conditions.some(
        ({ type, message }) => type === "ComparisonError" && told.test(message) && message.length < 10_000,
      );
    await untilApplication(repo.kube, "lied-to", { isSo, limitMs: 100_000 }).catch((error: unknown) => {
      throw new Error(`${name}: ${repo.output().slice(-2_000)}`, { cause: error });
    });
    const still = await repo.kube.get({ ...kept, ...kept.metadata }, signal());
    assert.equal(still?.metadata.uid, uid, `${name}: what was deployed is as it was`);
    await untilSynced(repo);
  }
  assert.ok(repo.peakMegabytes() < 1_000, `the controller had ${repo.peakMegabytes()} MB`);
}

const attack = (
  row: Pick<Attack, "id" | "threat" | "heldBy"> & { lies: Readonly<Record<string, Lie>> },
): Attack => ({
  ...row,
  id: `argocd-repo/${row.id}`,
  slow: true,
  play: async (world) => {
    await tells(row.lies);
    await world.assertUnharmed([]);
  },
});

export const attacks: readonly Attack[] = [
  attack({
    id: "answers-without-end",
    threat:
      "A program in the place of Argo CD's repo server never answers, never ends, or sends what grows when it is unpacked",
    heldBy:
      "a call has a time limit, an answer a size before and after unpacking; the Application names server and limit, and keeps what it has deployed",
    lies: endless,
  }),
  attack({
    id: "pieces-without-number",
    threat:
      "A program in the place of Argo CD's repo server sends an answer of so many small pieces that reading it takes all memory",
    heldBy:
      "the values of a message are counted before any is made, manifests and what they hold are limited; nothing is taken of such an answer",
    lies: numberless,
  }),
  attack({
    id: "another-commit",
    threat:
      "A program in the place of Argo CD's repo server gives the manifests of another commit for those of the one that was asked for",
    heldBy:
      "an answer says its commit, which must be the one that was asked for; nothing is taken of another one, and nothing pruned",
    lies: misplaced,
  }),
  attack({
    id: "nonsense",
    threat:
      "A program in the place of Argo CD's repo server breaks off, resets, or says what is no message, no manifest, or an endless failure",
    heldBy:
      "whatever cannot be read is a failure of the comparison, cut to what a condition holds, which deploys and prunes nothing",
    lies: broken,
  }),
];
