import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually, type OidcProvider, startOidcProvider } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import { builtPage } from "./built-page.ts";
import { noBrowser, PageBrowser } from "./page-world.ts";

const options = { skip: noBrowser };
const signal = () => AbortSignal.timeout(100_000);
const opened = new AsyncDisposableStack();
let api: ApiWorld;
let provider: OidcProvider;
let browser: PageBrowser;

before(async () => {
  if (noBrowser) return;
  const uiDir = await builtPage();
  // Below a path, which every address of the page and of the login has to keep.
  api = opened.use(
    await openApiWorld({ uiDir, place: { rootPath: "/tools/argocd", base: "/tools/argocd" } }),
  );
  provider = opened.use(
    await startOidcProvider({
      clients: [{ id: "web", secret: "s", redirectUris: [`${api.url}/auth/callback`] }],
      user: { sub: "u1", email: "ann@example.com", groups: ["devs"] },
    }),
  );
  const config = { name: "Example", issuer: provider.url, clientID: "web", clientSecret: "s" };
  await configure(provider.url, {
    "oidc.config": JSON.stringify({
      ...config,
      logoutURL: `${provider.url}/logout?post_logout_redirect_uri={{logoutRedirectURL}}`,
    }),
  });
  browser = opened.use(await PageBrowser.launch(api.url));
});
after(() => opened.disposeAsync());

async function configure(issuer: string, data: Record<string, string>): Promise<void> {
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-cm" };
  await api.world.kube.patch(ref, { type: "merge", body: { data } }, { signal: signal() });
  await eventually(
    async () => {
      const { body } = await api.request("GET", "/api/v1/settings", { token: null });
      return JSON.stringify(body).includes(issuer) || undefined;
    },
    { signal: signal(), describe: () => "oidc.config is not in force" },
  );
}

test(
  "the button leads to the provider and back to where one wanted to go; leaving ends it there too",
  options,
  async () => {
    const page = await browser.open("/applications?q=x", { loggedIn: false });
    const button = page.getByRole("button", { name: "Sign in with Example" });
    await button.waitFor();
    if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, "login.png") });
    await button.click();
    await page.getByRole("heading", { name: "Applications", exact: true }).waitFor();
    assert.equal(page.url(), `${api.url}/applications?q=x`);
    await page.getByRole("link", { name: "Projects" }).click();
    await page.getByRole("heading", { name: "Projects" }).waitFor();
    assert.equal(page.url(), `${api.url}/projects`);
    await page.reload();
    await page.getByRole("heading", { name: "Projects" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Applications", exact: true }).waitFor();
    const [cookie] = (await page.context().cookies()).filter(({ name }) => name === "argocd.token");
    assert.ok(cookie?.httpOnly);
    const stolen = await api.request("GET", "/api/v1/applications", { token: cookie.value });
    assert.equal(stolen.status, 401, "the cookie alone is worth nothing");
    const before = provider.countOf("/logout");
    await page.goto(`${api.url}/auth/logout`);
    await button.waitFor();
    assert.equal(provider.countOf("/logout"), before + 1);
  },
);

test("a provider that refuses is told, and its own label stands on the button", options, async () => {
  await configure("http://127.0.0.1:1", {
    "ui.loginButtonText": "Use your badge",
    "oidc.config": JSON.stringify({ issuer: "http://127.0.0.1:1", clientID: "web" }),
  });
  const page = await browser.open("/login", { loggedIn: false });
  const button = page.getByRole("button", { name: "Use your badge" });
  await button.click();
  await page.getByText("Could not sign in").waitFor();
  await page.getByText(/the identity provider at 127\.0\.0\.1:1/).waitFor();
  if (process.env.SCREENSHOTS)
    await page.screenshot({ path: join(process.env.SCREENSHOTS, "login-failed.png") });
});
