import assert from "node:assert/strict";
import { test } from "node:test";
import { buildRequest } from "./build-request.ts";
import { readRequest, UnreadableRequest } from "./read-request.ts";
import { bodyLimits } from "./route.ts";
import { routes } from "./routes.ts";

test("no two calls share method and address", () => {
  const seen = new Set<string>();
  for (const { method, path } of Object.values(routes)) {
    const id = `${method} ${path.replace(/\{\w+\}/g, "{}")}`;
    assert.ok(!seen.has(id), id);
    seen.add(id);
  }
});

test("path, query and body take the parts of a request that belong there", () => {
  const built = buildRequest(routes.syncApplication, { name: "web", prune: true, revision: "main" });
  assert.deepEqual(built, {
    method: "POST",
    url: "/api/v1/applications/web/sync",
    body: '{"prune":true,"revision":"main"}',
  });
  const listed = buildRequest(routes.listApplications, {
    project: ["a", "b&c"],
    selector: "x=y",
    refresh: undefined,
  });
  assert.equal(listed.url, "/api/v1/applications?project=a&project=b%26c&selector=x%3Dy");
  const repo = buildRequest(routes.getRepository, { repo: "https://git.example/a/b.git" });
  assert.equal(repo.url, "/api/v1/repositories/https%3A%2F%2Fgit.example%2Fa%2Fb.git");
});

test("a body of one field is that field", () => {
  const built = buildRequest(routes.patchResource, {
    name: "web",
    resourceName: "x",
    kind: "Pod",
    patch: "{}",
  });
  assert.equal(built.body, '"{}"');
  assert.deepEqual(
    readRequest(routes.patchResource, {
      path: { name: "web" },
      query: "kind=Pod&resourceName=x",
      body: "{}",
    }),
    { name: "web", kind: "Pod", resourceName: "x", patch: "{}" },
  );
});

test("a required part of the path that is missing is named", () => {
  assert.throws(() => buildRequest(routes.getApplication, { name: "" }), /needs name/);
});

test("the path wins over a field of the body with the same name", () => {
  const request = readRequest(routes.syncApplication, {
    path: { name: "web" },
    query: "",
    body: { name: "other" },
  });
  assert.equal(request.name, "web");
});

test("values that cannot be read are named", () => {
  const read = (query: string) => readRequest(routes.deleteApplication, { path: { name: "web" }, query });
  assert.equal(read("cascade=F").cascade, false);
  assert.throws(
    () => read("cascade=maybe"),
    new UnreadableRequest('cascade: "maybe" is neither true nor false'),
  );
  assert.throws(
    () => readRequest(routes.readLogs, { path: {}, query: "tailLines=many" }),
    /tailLines: "many" is not a whole number/,
  );
});

test("what is in a body must be of its kind; what is not there, null and more than is known are the handler's", () => {
  const sync = (body: unknown) =>
    readRequest(routes.syncApplication, { path: { name: "web" }, query: "", body });
  assert.deepEqual(sync({ prune: true, revision: null, surprise: 1, resources: [{ kind: "Pod" }] }), {
    name: "web",
    prune: true,
    surprise: 1,
    resources: [{ kind: "Pod" }],
  });
  assert.throws(
    () => sync({ prune: "yes", resources: [{ kind: 7 }], retryStrategy: [] }),
    new UnreadableRequest(
      "prune: must be true or false; resources[0].kind: must be text; retryStrategy: must be an object",
    ),
  );
  const spec = { project: "default", source: { path: ["a"] } };
  assert.throws(
    () => readRequest(routes.updateApplicationSpec, { path: { name: "web" }, query: "", body: spec }),
    /^UnreadableRequest: spec\.source\.path: must be text$/,
  );
});

test("a password without its quotes is refused without being told", () => {
  const body = { username: "admin", password: 31415926 };
  assert.throws(
    () => readRequest(routes.login, { path: {}, query: "", body }),
    new UnreadableRequest("password: must be text"),
  );
});

test("only login and the version are asked for without a token", () => {
  const free = Object.entries(routes).filter(
    ([, { sameForAll, session }]) => sameForAll || session === "begins",
  );
  assert.deepEqual(free.map(([name]) => name).sort(), ["getVersion", "login"]);
});

test("unknown parameters are left out", () => {
  assert.deepEqual(readRequest(routes.getApplication, { path: { name: "web" }, query: "surprise=1" }), {
    name: "web",
  });
});

test("only these calls answer strangers, and what they send is small", () => {
  const open = Object.entries(routes).filter(([, { access }]) => access === "open");
  const names = open.map(([name]) => name).sort();
  assert.deepEqual(names, ["getSettings", "getUserInfo", "getVersion", "login", "logout"]);
  assert.ok(open.every(([, { maxBody }]) => maxBody <= bodyLimits.small));
});
