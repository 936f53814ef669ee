import { type FormEvent, useState } from "react";
import { paths } from "../paths.ts";
import { Button } from "../primitives/button.tsx";
import { Problem } from "../primitives/problem.tsx";
import { login, useSettings } from "../queries/session.ts";
import { useGoTo, useSearch } from "../url-state.ts";

/** Only addresses of this page: a link from elsewhere must not lead on to another site after the login. */
export function safeReturn(to: string | undefined): string {
  return to?.startsWith("/") && !to.startsWith("//") && !to.startsWith("/\\") ? to : paths.applications();
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

export function LoginPage() {
  const search = useSearch();
  const goTo = useGoTo();
  const settings = useSettings().data;
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setFailure(undefined);
    try {
      await login(textOf(form, "username"), textOf(form, "password"));
      goTo(safeReturn(search.return));
    } catch (problem) {
      setFailure(problem);
      setBusy(false);
    }
  };
  return (
    <main className="login">
      <form onSubmit={submit} aria-labelledby="login-title">
        <img src="/capstan.svg" alt="" width="40" height="40" />
        <h1 id="login-title">Sign in to Capstan</h1>
        {settings?.simulatedCluster && (
          <p className="dim">
            This server has a simulated cluster: it keeps objects, but runs no containers.
          </p>
        )}
        <label className="field">
          <span>User</span>
          <input name="username" autoComplete="username" required defaultValue="admin" />
        </label>
        <label className="field">
          <span>Password</span>
          {/* biome-ignore lint/a11y/noAutofocus: the one thing to do on this page */}
          <input name="password" type="password" autoComplete="current-password" required autoFocus />
        </label>
        {failure !== undefined && <Problem title="Could not sign in" failure={failure} />}
        <Button look="primary" type="submit" busy={busy}>
          Sign in
        </Button>
        <p className="hint">
          The first password of <code>admin</code> is in the data folder,{" "}
          <code>~/.capstan/admin-password</code>, or in the Secret <code>argocd-initial-admin-secret</code>.
        </p>
      </form>
    </main>
  );
}
