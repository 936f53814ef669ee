import { type FormEvent, useState } from "react";
import { paths } from "../paths.ts";
import { Button } from "../primitives/button.tsx";
import { Problem } from "../primitives/problem.tsx";
import { login, useSettings } from "../queries/session.ts";
import { beginSignOn } from "../queries/sign-on.ts";
import { RequestFailure } from "../streams/request-failure.ts";
import { goTo, useSearch } from "../url-state.ts";

/** Only addresses of this page: a link from elsewhere must not lead on to another site after the login. */
export function safeReturn(to: string | undefined): string {
  return to?.startsWith("/") && !to.startsWith("//") && !to.startsWith("/\\") ? to : paths.applications();
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

type Settings = NonNullable<ReturnType<typeof useSettings>["data"]>;

/** What the operator has written, else the provider's name. */
function signOnLabel({ loginButtonText, oidcConfig, dexConfig }: Settings): string {
  const [first, second] = dexConfig?.connectors ?? [];
  const name = oidcConfig?.name || (second === undefined ? first?.name : undefined);
  return loginButtonText ?? (name ? `Sign in with ${name}` : "Sign in by single sign-on");
}

interface Attempt {
  run(work: () => Promise<void>): Promise<void>;
  busy: boolean;
}

function SignOn({ settings, attempt }: { settings: Settings; attempt: Attempt }) {
  const search = useSearch();
  const begin = () => attempt.run(() => beginSignOn(safeReturn(search.return)));
  return (
    <Button
      look={settings.userLoginsDisabled ? "primary" : "plain"}
      busy={attempt.busy}
      onClick={() => void begin()}
    >
      {signOnLabel(settings)}
    </Button>
  );
}

/** Where the first password is in an installation of this kind. */
function FirstPassword({ isSimulated }: { isSimulated: boolean }) {
  const file = (
    <>
      the file <code>admin-password</code> of the data folder (<code>~/.capstan</code>, or what{" "}
      <code>--data</code> names), which <code>capstan status</code> tells
    </>
  );
  return (
    <p className="hint">
      The first password of <code>admin</code> is in{" "}
      {isSimulated ? (
        file
      ) : (
        <>
          the Secret <code>argocd-initial-admin-secret</code>, which{" "}
          <code>capstan admin initial-password</code> shows; of a <code>capstan up</code> in {file}
        </>
      )}
      .
    </p>
  );
}

function PasswordFields({ busy, isSimulated }: { busy: boolean; isSimulated: boolean }) {
  return (
    <>
      <label className="field">
        <span>User</span>
        <input name="username" autoComplete="username" required defaultValue="admin" />
      </label>
      <label className="field">
        <span>Password</span>
        {/* biome-ignore lint/a11y/noAutofocus: the one thing to do on this page */}
        <input name="password" type="password" autoComplete="current-password" required autoFocus />
      </label>
      <Button look="primary" type="submit" busy={busy}>
        Sign in
      </Button>
      <FirstPassword isSimulated={isSimulated} />
    </>
  );
}

export function LoginPage() {
  const search = useSearch();
  const settings = useSettings().data;
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setFailure(undefined);
    try {
      await work();
    } catch (problem) {
      // A wrong password is no fault of a request.
      const isRefused = problem instanceof RequestFailure && problem.status === 401;
      setFailure(isRefused ? new Error(problem.message) : problem);
      setBusy(false);
    }
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void run(async () => {
      await login(textOf(form, "username"), textOf(form, "password"));
      goTo(safeReturn(search.return));
    });
  };
  const hasSignOn = settings?.oidcConfig !== undefined || settings?.dexConfig !== undefined;
  return (
    <main className="login">
      <form onSubmit={submit} aria-labelledby="login-title">
        <img src="capstan.svg" alt="" width="40" height="40" />
        <h1 id="login-title">Sign in to Capstan</h1>
        {settings?.simulatedCluster && (
          <p className="dim">
            This server has a simulated cluster: it keeps objects, but runs no containers.
          </p>
        )}
        {failure !== undefined && <Problem title="Could not sign in" failure={failure} />}
        {settings && hasSignOn && <SignOn settings={settings} attempt={{ run, busy }} />}
        {!(hasSignOn && settings?.userLoginsDisabled) && (
          <PasswordFields busy={busy} isSimulated={settings?.simulatedCluster ?? false} />
        )}
      </form>
    </main>
  );
}
