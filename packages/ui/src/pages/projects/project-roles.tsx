import type { AppProject } from "@capstan/model";
import { DeleteButton, DialogButton } from "../../parts/forms/rightful.tsx";
import { TokenDialog } from "../../parts/forms/token-dialog.tsx";
import { Listing } from "../../primitives/listing.tsx";
import { TimeAgo } from "../../primitives/time-ago.tsx";
import { createProjectToken, deleteProjectToken } from "../../queries/places.ts";

type Role = NonNullable<NonNullable<AppProject["spec"]["roles"]>[number]>;

const asKnown = { error: null, isPending: false };

/** Who may do what in the project, as its own roles say; the installation's policy may say more. */
export function ProjectRoles({ project }: { project: AppProject }) {
  const { name } = project.metadata;
  return (
    <Listing
      title="Roles"
      level="part"
      query={asKnown}
      items={project.spec.roles ?? []}
      keyOf={(role) => role.name}
      columns={[
        {
          label: "Role",
          cell: (role) => (
            <>
              <strong>{role.name}</strong>
              <br />
              <span className="dim">{role.description}</span>
            </>
          ),
        },
        { label: "May", cell: ({ policies }) => <Policies policies={policies ?? []} /> },
        { label: "Groups", cell: ({ groups }) => groups?.join(", ") || <span className="dim">none</span> },
        { label: "Tokens", cell: (role) => <RoleTokens project={project} role={role} /> },
        {
          label: "",
          cell: (role) => (
            <DialogButton
              right={{ resource: "projects", action: "update", object: name }}
              label="New token…"
              about={`of role ${role.name}`}
              dialog={(close) => (
                <TokenDialog
                  of={`role ${role.name}`}
                  onClose={close}
                  create={(token) => createProjectToken(name, role.name, token)}
                />
              )}
            />
          ),
        },
      ]}
      empty={<p>It has no roles of its own: who may act here stands in the installation's policy.</p>}
    />
  );
}

/** `p, proj:team:ci, applications, sync, team/*, allow` as people say it. */
function Policies({ policies }: { policies: readonly string[] }) {
  if (policies.length === 0) return <span className="dim">nothing</span>;
  return (
    <ul>
      {policies.map((policy) => {
        const [, , resource, action, object, effect] = policy.split(",").map((part) => part.trim());
        return (
          <li key={policy} title={policy}>
            {effect === "deny" && <strong>not </strong>}
            {action} {resource} <code>{object}</code>
          </li>
        );
      })}
    </ul>
  );
}

function RoleTokens({ project: { metadata, status }, role }: { project: AppProject; role: Role }) {
  const tokens = status?.jwtTokensByRole?.[role.name]?.items ?? role.jwtTokens ?? [];
  if (tokens.length === 0) return <span className="dim">none</span>;
  return (
    <ul>
      {tokens.map(({ id = "", iat, exp }) => (
        <li key={iat}>
          <code>{id}</code> made <TimeAgo at={new Date(iat * 1000).toISOString()} />
          {exp ? `, until ${new Date(exp * 1000).toLocaleString()}` : ""}{" "}
          <DeleteButton
            right={{ resource: "projects", action: "update", object: metadata.name }}
            what={`token ${id} of role ${role.name}`}
            consequence="Whoever uses it is refused from now on."
            act={() => deleteProjectToken(metadata.name, role.name, iat)}
          />
        </li>
      ))}
    </ul>
  );
}
