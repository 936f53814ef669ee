import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type HostReply, type HostServer, realClock, startHostServer } from "@capstan/testkit";
import { openCodecommit } from "./aws-codecommit.ts";
import { HostCalls } from "./index.ts";

let server: HostServer;
before(async () => {
  server = await startHostServer(() => undefined);
});
after(() => server[Symbol.asyncDispose]());

const look = () => ({ signal: AbortSignal.timeout(20_000), notBeforeMs: Date.now() });
const open = (more: object = {}) => {
  const keys = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "s3cret" };
  const env = { ...keys, AWS_REGION: "eu-west-1", AWS_ENDPOINT_URL: server.url };
  return openCodecommit({ calls: new HostCalls(realClock, env), ...more });
};

/** Answers by target and body; every request has to be signed. */
function speak(answers: Readonly<Record<string, HostReply>>): string[] {
  const asked: string[] = [];
  server.speak(({ headers, body, method }) => {
    const what = `${String(headers["x-amz-target"]).split(".")[1]} ${body}`;
    asked.push(what);
    const isSigned =
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/(codecommit|tagging)\/aws4_request/.test(
        String(headers.authorization),
      );
    if (method !== "POST" || !isSigned) return { status: 403, body: { __type: "AccessDeniedException" } };
    return answers[what] ?? { status: 400, body: { __type: "ValidationException" } };
  });
  return asked;
}

const metadata = {
  accountId: "111122223333",
  repositoryName: "web",
  repositoryId: "f7579e13",
  defaultBranch: "main",
  cloneUrlHttp: "https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/web",
  cloneUrlSsh: "ssh://git-codecommit.eu-west-1.amazonaws.com/v1/repos/web",
};
const folder = (path: string) =>
  `GetFolder {"repositoryName":"web","commitSpecifier":"main","folderPath":"${path}"}`;

test("repositories of an account, page by page, without those that are empty; branches and paths", async () => {
  speak({
    "ListRepositories {}": { body: { repositories: [{ repositoryName: "web" }], nextToken: "n" } },
    'ListRepositories {"nextToken":"n"}': { body: { repositories: [{ repositoryName: "empty" }] } },
    'GetRepository {"repositoryName":"web"}': { body: { repositoryMetadata: metadata } },
    'GetRepository {"repositoryName":"empty"}': { body: { repositoryMetadata: { repositoryName: "empty" } } },
    'ListBranches {"repositoryName":"web"}': { body: { branches: ["main", "dev"] } },
    [folder("/a")]: { body: { files: [{ relativePath: "b" }], subFolders: [{ relativePath: "c" }] } },
    [folder("/none")]: { status: 400, body: { __type: "x#FolderDoesNotExistException" } },
  });
  const host = open();
  const found = await host.listRepositories({ owner: "" }, look());
  assert.deepEqual(
    found.map(({ organization, name, id, sshUrl, httpsUrl }) => [organization, name, id, sshUrl, httpsUrl]),
    [["111122223333", "web", "f7579e13", metadata.cloneUrlSsh, metadata.cloneUrlHttp]],
  );
  const [web] = found;
  assert.ok(web);
  assert.deepEqual(await host.listBranches(web, false, look()), [{ name: "main", sha: "" }]);
  assert.deepEqual(await host.listBranches(web, true, look()), [
    { name: "main", sha: "" },
    { name: "dev", sha: "" },
  ]);
  const has = (path: string) => host.hasPath(web, { branch: { name: "main", sha: "" }, path }, look());
  assert.deepEqual(
    [await has("a/c"), await has("/a/b"), await has("a/x"), await has("none/x"), await has("/")],
    [true, true, false, false, true],
  );
});

test("repositories by tags are found by the tagging service", async () => {
  const filters =
    '"ResourceTypeFilters":["codecommit:repository"],"TagFilters":[{"Key":"team","Values":["a","b"]},{"Key":"live"}]';
  speak({
    [`GetResources {${filters}}`]: {
      body: {
        PaginationToken: "",
        ResourceTagMappingList: [{ ResourceARN: "arn:aws:codecommit:eu-west-1:111122223333:web" }],
      },
    },
    'GetRepository {"repositoryName":"web"}': { body: { repositoryMetadata: metadata } },
  });
  const tags = [{ key: "team", value: "a" }, { key: "team", value: "b" }, { key: "live" }];
  assert.equal((await open({ tags }).listRepositories({ owner: "" }, look())).length, 1);
});

test("a failure, a path that cannot be looked at and pages without an end give nothing", async () => {
  server.speak(() => ({ status: 400, body: { __type: "ThrottlingException", message: "s3cret" } }));
  await assert.rejects(
    open().listRepositories({ owner: "" }, look()),
    /AWS CodeCommit: AWS answers 400 ThrottlingException/,
  );
  server.speak(() => ({ body: {} }));
  await assert.rejects(open().listRepositories({ owner: "" }, look()), /without repositories/);
  server.speak(() => ({ body: { repositories: [], nextToken: "again" } }));
  await assert.rejects(open().listRepositories({ owner: "" }, look()), /more than 500 pages/);
});
