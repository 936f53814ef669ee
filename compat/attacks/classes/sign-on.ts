/** Logins through an identity provider: tokens that it did not make, and returns that nobody began. */
import assert from "node:assert/strict";
import type { OidcProvider } from "@capstan/testkit";
import type { Attack } from "../attack.ts";
import { asks } from "../request.ts";
import { begin, isNoLogin, type Stage, visit, withProvider } from "../sign-on-stage.ts";

const now = (): number => Math.floor(Date.now() / 1000);

/** A bearer of this token is nobody. */
async function isNobody({ world }: Stage, token: string): Promise<string> {
  const answer = await world.ask("nobody", "GET /api/v1/applications", { token });
  assert.equal(answer.status, 401);
  return JSON.stringify(answer.body);
}

const forged = (forgery: Parameters<OidcProvider["forgeTokens"]>[0]): Attack["play"] =>
  withProvider(async (stage) => {
    stage.provider.forgeTokens(forgery);
    return [await isNobody(stage, await stage.provider.makeIdToken("web"))];
  });

const verified =
  "a provider's token is verified by its published keys and no other algorithm, for its issuer, this client and the time";

export const attacks: readonly Attack[] = [
  {
    id: "sign-on/dex-leads-elsewhere",
    threat: "Somebody asks below /api/dex for another address, to have the server ask for him",
    heldBy: "only the operator's Dex is asked, at paths below its own; without one nothing is",
    play: asks({
      who: "nobody",
      method: "GET",
      path: () => "/api/dex/http://169.254.169.254/latest/meta-data",
      status: [404],
    }),
  },
  {
    id: "sign-on/token-without-signature",
    threat: "Somebody sends a token of the identity provider with alg none",
    heldBy: verified,
    advisories: ["CVE-2022-29165"],
    play: forged({ signature: "none" }),
  },
  {
    id: "sign-on/public-key-as-secret",
    threat: "Somebody signs a token by HS256 with the provider's public key as the secret",
    heldBy: verified,
    play: forged({ signature: "public" }),
  },
  {
    id: "sign-on/another-key",
    threat: "Somebody signs a token with a key of the same id",
    heldBy: verified,
    play: forged({ signature: "other" }),
  },
  {
    id: "sign-on/another-audience",
    threat: "A token that the provider made for another client is used here",
    heldBy: verified,
    advisories: ["CVE-2023-22482"],
    play: forged({ claims: { aud: "another" } }),
  },
  {
    id: "sign-on/another-issuer",
    threat: "A token of another issuer, signed with the provider's key, is used here",
    heldBy: verified,
    play: forged({ claims: { iss: "https://elsewhere.example" } }),
  },
  {
    id: "sign-on/ended",
    threat: "A token of the provider goes on being used after its end",
    heldBy: verified,
    play: forged({ claims: { exp: now() - 60 } }),
  },
  {
    id: "sign-on/another-nonce",
    threat: "A token of another login is given for the code of this one",
    heldBy: "the token has to hold the nonce that this login sent",
    play: withProvider(async (stage) => {
      const { state, back } = await begin(stage);
      stage.provider.forgeTokens({ claims: { nonce: "of another login" } });
      return [await isNoLogin(await visit(back.href, { cookie: state }))];
    }),
  },
  {
    id: "sign-on/return-twice",
    threat: "The address by which a browser came back is opened again, or in another browser",
    heldBy: "a login is finished once, by the browser that has its sealed state, within five minutes",
    play: withProvider(async (stage) => {
      const { state, back } = await begin(stage);
      const elsewhere = await isNoLogin(await visit(back.href));
      assert.equal((await visit(back.href, { cookie: state })).status, 303);
      return [elsewhere, await isNoLogin(await visit(back.href, { cookie: state }))];
    }),
  },
  {
    id: "sign-on/stolen-code",
    threat: "Somebody finishes an own login with the code of another person's",
    heldBy: "codes are redeemed with the PKCE verifier of the login that asked for them",
    play: withProvider(async (stage) => {
      const [victim, thief] = [await begin(stage), await begin(stage)];
      const code = victim.back.searchParams.get("code") ?? "";
      thief.back.searchParams.set("code", code);
      const said = await isNoLogin(await visit(thief.back.href, { cookie: thief.state }));
      assert.ok(!said.includes(code));
      return [said];
    }),
  },
  {
    id: "sign-on/return-elsewhere",
    threat: "A link to the login leads on to another site",
    heldBy: "return_url has to be a path of this server, or below url or additionalUrls",
    advisories: ["CVE-2022-24905"],
    play: withProvider(async ({ world }) => {
      const targets = ["https://evil.example/", "//evil.example/", "/\\evil.example/", "javascript:alert(1)"];
      const asked = targets.concat(`${world.at.url}@evil.example/`, `${world.at.url}.evil.example/`);
      const texts: string[] = [];
      for (const target of asked) {
        const answer = await visit(
          `${world.at.url}/auth/login?${new URLSearchParams({ return_url: target })}`,
        );
        assert.equal(answer.status, 400, target);
        texts.push(await answer.text());
      }
      return texts;
    }),
  },
  {
    id: "sign-on/script-in-the-return",
    threat: "A link to the return from the provider holds script, to be run by what is said of it",
    heldBy: "what is refused is told as JSON, which no browser runs, and of the address in letters alone",
    advisories: ["CVE-2022-31102"],
    play: withProvider(async (stage) => {
      const { state, back } = await begin(stage);
      const script = "<script>alert(1)</script>";
      const said: string[] = [];
      for (const name of ["error", "code", "state"]) {
        const url = new URL(back);
        // Without a code, what is said of the error counts.
        if (name === "error") url.searchParams.delete("code");
        url.searchParams.set(name, script);
        url.searchParams.set("error_description", script);
        const answer = await visit(url.href, { cookie: state, accept: "text/html" });
        assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
        said.push(await isNoLogin(answer));
      }
      for (const text of said) assert.ok(!text.includes("<script"), text);
      return said;
    }),
  },
  {
    id: "sign-on/provider-that-nobody-vouches-for",
    threat: "Somebody between Capstan and the provider answers with a certificate of his own",
    heldBy: "the provider's certificate is verified, by rootCA or by the machine's authorities",
    advisories: ["CVE-2022-31105"],
    play: withProvider(
      async ({ world, provider }) => {
        const token = await provider.makeIdToken("web");
        const answer = await world.ask("nobody", "GET /api/v1/applications", { token });
        assert.equal(answer.status, 503);
        assert.equal(provider.countOf("/keys"), 0);
        const login = await visit(`${world.at.url}/auth/login?return_url=/applications`);
        assert.equal(login.status, 503);
        return [JSON.stringify(answer.body), await login.text()];
      },
      { tls: true },
    ),
  },
  {
    id: "sign-on/called-admin",
    threat:
      "The provider calls a user, or a group of hers, as Capstan calls its admin, a role or a project's role",
    heldBy: "the built-in rights are those of local accounts, and roles are given by lines of policies alone",
    play: withProvider(async ({ world, provider }) => {
      const texts: string[] = [];
      for (const name of ["admin", "role:admin", "proj:team:any"]) {
        provider.forgeTokens({ claims: { sub: name, groups: [name] } });
        const token = await provider.makeIdToken("web");
        const answer = await world.ask("nobody", "GET /api/v1/projects/rival", { token });
        assert.equal(answer.status, 403, name);
        texts.push(JSON.stringify(answer.body));
      }
      return texts;
    }),
  },
  {
    id: "sign-on/groups-as-a-text",
    threat: "A provider's groups claim is one text in which names of groups stand",
    heldBy: "a claim that is one text is one group, whatever it holds",
    play: withProvider(async ({ world, provider }) => {
      provider.forgeTokens({ claims: { groups: "nobody, role:rival, bob" } });
      const token = await provider.makeIdToken("web");
      const answer = await world.ask("nobody", "GET /api/v1/projects/rival", { token });
      assert.equal(answer.status, 403);
      return [JSON.stringify(answer.body)];
    }),
  },
  {
    id: "sign-on/huge-keys",
    threat: "A provider answers with hundreds of megabytes, or leads on to another address",
    heldBy: "answers of a provider are read up to a size and a time, and redirects are not followed",
    play: withProvider(async (stage) => {
      const { world, provider } = stage;
      const token = await provider.makeIdToken("web");
      provider.misanswer("/keys", {
        status: 200,
        body: `{"keys":[],"pad":"${"x".repeat(64 * 1024 * 1024)}"}`,
      });
      const answer = await world.ask("nobody", "GET /api/v1/applications", { token });
      assert.equal(answer.status, 503);
      provider.misanswer("/keys", { status: 302, body: "", location: `${world.at.url}/healthz` });
      assert.equal((await world.ask("nobody", "GET /api/v1/applications", { token })).status, 503);
      return [JSON.stringify(answer.body)];
    }),
  },
  {
    id: "sign-on/strangers-keep-it-busy",
    threat:
      "Somebody without an account sends tokens of made-up keys, for each of which the provider would be asked",
    heldBy: "the provider's keys are asked for again no more than every half minute",
    play: withProvider(async (stage) => {
      const { provider } = stage;
      await stage.world.ask("nobody", "GET /api/v1/applications", {
        token: await provider.makeIdToken("web"),
      });
      const before = provider.countOf("/keys");
      const made = Buffer.from('{"alg":"RS256","kid":"made-up"}').toString("base64url");
      const [, payload = ""] = (await provider.makeIdToken("web")).split(".");
      const texts: string[] = [];
      for (let count = 0; count < 20; count += 1)
        texts.push(await isNobody(stage, `${made}.${payload}.AAAA`));
      assert.ok(provider.countOf("/keys") - before <= 1);
      return texts;
    }),
  },
  {
    id: "sign-on/token-of-a-removed-role",
    threat: "A token of a project's role goes on after the role was removed, or made anew",
    heldBy:
      "a role's token counts while the project lists it, and a removed role's tokens are forgotten with it",
    play: async (world) => {
      const spec = { destinations: [], sourceRepos: [] };
      const write = async (method: string, roles: readonly object[]) => {
        const path = method === "POST" ? "/api/v1/projects" : "/api/v1/projects/gone";
        const project = { metadata: { name: "gone" }, spec: { ...spec, roles } };
        assert.equal((await world.ask("admin", `${method} ${path}`, { body: { project } })).status, 200);
      };
      await write("POST", [{ name: "ci" }]);
      const made = await world.ask("admin", "POST /api/v1/projects/gone/roles/ci/token", { body: {} });
      const { body } = made;
      const token = typeof body === "object" && body !== null && "token" in body ? String(body.token) : "";
      const statusNow = async () =>
        (await world.ask("nobody", "GET /api/v1/projects/gone", { token })).status;
      assert.equal(await statusNow(), 200);
      await write("PUT", []);
      assert.equal(await statusNow(), 401);
      await write("PUT", [{ name: "ci" }]);
      assert.equal(await statusNow(), 401);
      await world.ask("admin", "DELETE /api/v1/projects/gone");
    },
  },
];
