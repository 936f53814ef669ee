export interface ConditionText {
  readonly title: string;
  readonly next: string;
  readonly bad: boolean;
}

const conditionTexts: Record<string, Omit<ConditionText, "bad">> = {
  ComparisonError: {
    title: "The source could not be rendered or compared",
    next: "Correct what the message names, push, and refresh. A hard refresh renders anew, past the cache.",
  },
  InvalidSpecError: {
    title: "The application's own settings are not valid",
    next: "Correct the field in the Application; nothing is compared or synced until then.",
  },
  SyncError: {
    title: "Automatic sync failed and waits",
    next: "Read the result under History; a new commit or a sync by hand tries again.",
  },
  DeletionError: { title: "Deletion does not get on", next: "Remove what holds the object named here." },
  UnknownError: {
    title: "Something unexpected went wrong",
    next: "Refresh; if it stays, read the controller's log.",
  },
  SharedResourceWarning: {
    title: "Another application claims the same object",
    next: "Take the object out of one of the two sources.",
  },
  RepeatedResourceWarning: {
    title: "The source holds the same object more than once",
    next: "The last one is used. Remove the others.",
  },
  ExcludedResourceWarning: {
    title: "The source holds objects that are excluded by the settings",
    next: "They are left alone. Remove them or change resource.exclusions.",
  },
  NotHonoured: {
    title: "A setting has no effect",
    next: "",
  },
  NotHonouredError: {
    title: "Not synced: what is set to protect it is not honoured yet",
    next: "Do what the message says; a comparison is still made.",
  },
  UnreadableResourceWarning: {
    title: "Some objects cannot be read in the cluster",
    next: "Let the account of the cluster list and watch their kind, or exclude it by resource.exclusions.",
  },
  RevisionMovedWarning: {
    title: "A tag, or a chart's version, means something else than when it was deployed",
    next: "Look at the diff. Where nobody should move it, name the commit or digest.",
  },
  OrphanedResourceWarning: {
    title: "The namespace holds objects that no application has",
    next: "Delete them, or add them to the project's list of what to ignore.",
  },
};

export function conditionText(type: string): ConditionText {
  const bad = type.endsWith("Error");
  const known = conditionTexts[type];
  return known ? { ...known, bad } : { title: type, next: "", bad };
}
