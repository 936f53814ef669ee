import type { OutOf, Routes } from "@capstan/wire";
import { FormDialog } from "../../parts/forms/form-dialog.tsx";
import { DeleteButton, DialogButton } from "../../parts/forms/rightful.tsx";
import { TokenDialog } from "../../parts/forms/token-dialog.tsx";
import { tell } from "../../parts/notices.tsx";
import { Listing } from "../../primitives/listing.tsx";
import { TimeAgo } from "../../primitives/time-ago.tsx";
import { createAccountToken, deleteAccountToken, updatePassword, useAccounts } from "../../queries/places.ts";
import { useUser } from "../../queries/session.ts";
import { SettingsFrame } from "./settings-parts.tsx";

type Account = OutOf<Routes["listAccounts"]>["items"][number];

const updateRight = (object: string) => ({ resource: "accounts", action: "update", object });

export function AccountsPage() {
  const query = useAccounts();
  return (
    <SettingsFrame>
      <Listing
        title="Accounts"
        query={query}
        items={query.data && (query.data.items ?? [])}
        keyOf={({ name }) => name}
        columns={[
          { label: "Name", cell: ({ name }) => name },
          { label: "State", cell: ({ enabled }) => (enabled ? "enabled" : "disabled") },
          { label: "May", cell: ({ capabilities }) => (capabilities ?? []).join(", ") || "nothing" },
          { label: "Tokens", cell: (account) => <Tokens account={account} /> },
          { label: "", cell: (account) => <AccountActions account={account} /> },
        ]}
        empty={<p>There is no account that you may see.</p>}
      />
    </SettingsFrame>
  );
}

const at = (seconds: number) => new Date(seconds * 1000).toISOString();

function Tokens({ account: { name, tokens } }: { account: Account }) {
  if (!tokens?.length) return <span className="dim">none</span>;
  return (
    <ul>
      {tokens.map(({ id, issuedAt, expiresAt }) => (
        <li key={id}>
          <code>{id}</code>, made <TimeAgo at={at(issuedAt)} />,{" "}
          {expiresAt > 0
            ? `valid until ${new Date(expiresAt * 1000).toLocaleString()}`
            : "until it is revoked"}{" "}
          <DeleteButton
            right={updateRight(name)}
            what={`token ${id} of ${name}`}
            consequence="Whoever uses it is refused from now on."
            act={() => deleteAccountToken(name, id)}
          />
        </li>
      ))}
    </ul>
  );
}

function AccountActions({ account: { name, capabilities } }: { account: Account }) {
  const own = useUser().data?.username === name;
  return (
    <>
      {capabilities?.includes("apiKey") && (
        <DialogButton
          right={updateRight(name)}
          label="New token…"
          about={`for ${name}`}
          dialog={(close) => (
            <TokenDialog of={name} onClose={close} create={(token) => createAccountToken(name, token)} />
          )}
        />
      )}
      {capabilities?.includes("login") && (
        <DialogButton
          // The own password needs no right but the password itself.
          right={own ? { resource: "accounts", action: "get", object: name } : updateRight(name)}
          label="Change password…"
          about={`of ${name}`}
          dialog={(close) => <PasswordDialog name={name} onClose={close} />}
        />
      )}
    </>
  );
}

function PasswordDialog({ name, onClose }: { name: string; onClose(): void }) {
  return (
    <FormDialog
      title={`The password of ${name}`}
      verb="Change the password"
      fields={[
        { name: "current", label: "Your own password", kind: "secret", required: true },
        { name: "next", label: `New password of ${name}`, kind: "secret", required: true },
        { name: "again", label: "The new one again", kind: "secret", required: true },
      ]}
      onClose={onClose}
      submit={async ({ current = "", next = "", again }) => {
        if (next !== again) throw new Error("The new password is not the same twice.");
        await updatePassword(name, current, next);
        tell(`The password of ${name} has been changed`);
      }}
    />
  );
}
