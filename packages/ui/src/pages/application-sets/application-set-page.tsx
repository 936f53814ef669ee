import type { ApplicationSet } from "@capstan/model";
import { useParams } from "wouter";
import { objectText } from "../../parts/code/object-text.ts";
import { DeleteButton } from "../../parts/forms/rightful.tsx";
import { type AppRef, paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { StateTag } from "../../primitives/glyph.tsx";
import { Listing } from "../../primitives/listing.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import { healthLook, syncLook } from "../../primitives/states.ts";
import { TimeAgo } from "../../primitives/time-ago.tsx";
import { deleteApplicationSet, useApplicationSet } from "../../queries/application-sets.ts";
import { goTo } from "../../url-state.ts";
import { HeldDeletions } from "./held-deletions.tsx";
import { setFacts } from "./set-facts.ts";
import { SetPreview } from "./set-preview.tsx";
import { SetTree } from "./set-tree.tsx";
import { WriteSet } from "./write-set.tsx";

export function ApplicationSetPage() {
  const { namespace = "", name = "" } = useParams<Partial<AppRef>>();
  const set = { namespace, name };
  const { data, error, isPending } = useApplicationSet(set);
  return (
    <div className="listing">
      <div className="listing-head">
        <h1>{name}</h1>
        {data && <SetActions set={data} setRef={set} />}
      </div>
      {error && <Problem title={`ApplicationSet ${name} cannot be read`} failure={error} />}
      {isPending && <SkeletonRows rows={5} />}
      {data && <SetDetails set={data} setRef={set} />}
    </div>
  );
}

function SetActions({ set, setRef }: { set: ApplicationSet; setRef: AppRef }) {
  const object = `${set.spec.template.spec.project}/${setRef.name}`;
  return (
    <>
      <DeleteButton
        right={{ resource: "applicationsets", action: "delete", object }}
        what={`ApplicationSet ${setRef.name}`}
        consequence="Its applications are deleted with everything that they deployed, unless it preserves resources on deletion."
        act={async () => {
          await deleteApplicationSet(setRef);
          goTo(paths.applicationSets());
        }}
      />
      <WriteSet
        start={objectText(set, { noise: false, status: false })}
        label="Edit…"
        right="update"
        object={object}
      />
    </>
  );
}

function SetDetails({ set, setRef }: { set: ApplicationSet; setRef: AppRef }) {
  const { look, project, generators, count } = setFacts(set);
  const { conditions = [], resources = [] } = set.status ?? {};
  const policy = set.spec.syncPolicy?.applicationsSync ?? "sync";
  return (
    <>
      <p>
        <StateTag look={look} /> · {count} {count === 1 ? "application" : "applications"} of project {project}
        , made by {generators || "no generator"} · policy {policy}
      </p>
      <SetTree set={set} setRef={setRef} />
      <HeldDeletions set={setRef} conditions={conditions} />
      <Conditions conditions={conditions} />
      <SetPreview set={setRef} age={[set.metadata.generation, conditions]} />
      <Made resources={resources} namespace={setRef.namespace} />
      {count > resources.length && resources.length > 0 && (
        <p className="note dim">And {count - resources.length} more, which its status does not list.</p>
      )}
    </>
  );
}

type Status = NonNullable<ApplicationSet["status"]>;

const asKnown = { error: null, isPending: false };

function Conditions({ conditions }: { conditions: NonNullable<Status["conditions"]> }) {
  return (
    <Listing
      title="Conditions"
      level="part"
      query={asKnown}
      items={conditions}
      keyOf={({ type, message }) => type + message}
      columns={[
        { label: "Condition", cell: ({ type }) => type },
        { label: "Status", cell: ({ status }) => status },
        { label: "Message", cell: ({ message }) => message },
        { label: "Since", cell: ({ lastTransitionTime }) => <TimeAgo at={lastTransitionTime} /> },
      ]}
      empty={<p className="dim">The controller has not looked at it yet.</p>}
    />
  );
}

/** A set may have thousands: the list of applications shows, sorts and filters them all. */
const mostRows = 500;

function Made({ resources, namespace }: { resources: NonNullable<Status["resources"]>; namespace: string }) {
  return (
    <>
      <Listing
        title="Applications"
        level="part"
        query={asKnown}
        items={resources.slice(0, mostRows)}
        keyOf={({ name = "" }) => name}
        columns={[
          {
            label: "Name",
            cell: ({ name = "" }) => <Anchor href={paths.application({ namespace, name })}>{name}</Anchor>,
          },
          { label: "Sync", cell: ({ status }) => <StateTag look={syncLook(status)} /> },
          { label: "Health", cell: ({ health }) => <StateTag look={healthLook(health?.status)} /> },
        ]}
        empty={<p className="dim">It has made none.</p>}
      />
      {resources.length > mostRows && (
        <p className="note dim">
          And {resources.length - mostRows} more: the list of applications has them all.
        </p>
      )}
    </>
  );
}
