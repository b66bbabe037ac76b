import { useMutation, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { useRefetchOn } from "../../live/event-feed.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button } from "../../ui/button.tsx";
import { Heading } from "../../ui/card.tsx";
import { initialsOf } from "../../ui/initials.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Select } from "../../ui/select.tsx";
import { SubmitForm } from "../../ui/submit-form.tsx";
import { TextArea } from "../../ui/text-field.tsx";
import { Time } from "../../ui/zone.tsx";
import type { Person } from "../users/users.queries.ts";
import { peopleQuery } from "../users/users.queries.ts";
import type { Comment } from "./comments.queries.ts";
import { commentsQuery } from "./comments.queries.ts";
import { mentionsIn, typedMention } from "./mentions.ts";

const unassigned = "none";

type Props = { id: string; assigneeId: string | null };

/** Who takes care of an exception, and what colleagues say about it. */
export function ExceptionDiscussion({ id, assigneeId }: Props) {
  const { data: people = [] } = useQuery(peopleQuery);
  return (
    <>
      <Assignee id={id} assigneeId={assigneeId} people={people} />
      <Comments id={id} people={people} />
    </>
  );
}

function Assignee({ id, assigneeId, people }: Props & { people: Person[] }) {
  const me = useMe();
  const refused = missingScope(me, "exceptions:write");
  const assign = useMutation({
    mutationFn: (to: string | null) =>
      hub.call("PUT /api/v1/exceptions/{id}/assignee", { path: { id }, body: { assigneeId: to } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["exceptions"] }),
  });
  const known = people.find((person) => person.id === assigneeId);
  const options = people.filter((person) => person.isActive || person.id === assigneeId);
  const isMine = assigneeId === me.actor.id;
  if (refused) return <p className="text-muted">Assigned to: {known?.name ?? "Unassigned"}</p>;
  return (
    <section aria-label="Assignee" className="flex flex-col gap-1.5">
      {assign.error && <ProblemBox error={assign.error} />}
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <Select
            label="Assigned to"
            value={assign.isPending ? (assign.variables ?? unassigned) : (assigneeId ?? unassigned)}
            onChange={(to) => assign.mutate(to === unassigned ? null : to)}
            options={[
              { value: unassigned, label: "Unassigned" },
              ...options.map((person) => ({
                value: person.id,
                label: person.name,
                ...(person.isActive ? {} : { note: "Disabled" }),
              })),
            ]}
          />
        </div>
        {!isMine && me.actor.type === "user" && (
          <Button isBusy={assign.isPending} onClick={() => assign.mutate(me.actor.id)}>
            Assign to me
          </Button>
        )}
      </div>
    </section>
  );
}

function Comments({ id, people }: { id: string; people: Person[] }) {
  const me = useMe();
  const { data, error } = useQuery(commentsQuery(id));
  useRefetchOn("exception.commented", ["comments", id], me.scopes.includes("events:read"));
  const refused = missingScope(me, "exceptions:write");
  return (
    <section aria-label="Comments">
      <Heading title="Comments" />
      {error && <ProblemBox error={error} />}
      {data?.length === 0 && <p className="mb-2 text-muted">No comments yet.</p>}
      {data && data.length > 0 && (
        <ul className="mb-2.5 flex flex-col gap-2.5">
          {data.map((comment) => (
            <li key={comment.id}>
              <OneComment exceptionId={id} comment={comment} people={people} />
            </li>
          ))}
        </ul>
      )}
      {!refused && <NewComment id={id} people={people} />}
    </section>
  );
}

function OneComment({ exceptionId, comment, people }: { exceptionId: string; comment: Comment; people: Person[] }) {
  const me = useMe();
  const { createdBy } = comment;
  const author = people.find(({ id }) => id === createdBy.id)?.name ?? createdBy.name ?? createdBy.email ?? "Hub";
  const remove = useMutation({
    mutationFn: () =>
      hub.call("DELETE /api/v1/exceptions/{id}/comments/{commentId}", {
        path: { id: exceptionId, commentId: comment.id },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["comments", exceptionId] }),
  });
  const mayRemove = createdBy.id === me.actor.id || me.scopes.includes("admin");
  return (
    <article aria-label={`Comment by ${author}`} className="flex gap-2">
      <span
        aria-hidden
        className="grid size-6 shrink-0 place-items-center rounded-full bg-skip-soft text-[10px] font-semibold text-muted"
      >
        {initialsOf(author)}
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2">
          <span className="font-medium">{author}</span>
          <span className="text-sm text-muted">
            <Time at={comment.createdAt} />
          </span>
          <span className="flex-1" />
          {mayRemove && (
            <Button kind="quiet" isBusy={remove.isPending} onClick={() => remove.mutate()}>
              Delete<span className="sr-only"> comment</span>
            </Button>
          )}
        </p>
        {remove.error && <ProblemBox error={remove.error} />}
        <p className="break-words whitespace-pre-wrap">{comment.text}</p>
      </div>
    </article>
  );
}

function NewComment({ id, people }: { id: string; people: Person[] }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const active = people.filter(({ isActive }) => isActive);
  const form = useCreateForm({
    start: { text: "" },
    create: ({ text }) =>
      hub.call("POST /api/v1/exceptions/{id}/comments", {
        path: { id },
        body: { text: text.trim(), mentions: mentionsIn(text, active) },
      }),
    refetch: ["comments", id],
    onCreated: () => {
      form.reset();
    },
  });
  const { text } = form.draft;
  const typed = typedMention(text, active);
  const mention = (name: string): void => {
    form.set({ text: `${text.slice(0, text.lastIndexOf("@"))}@${name} ` });
    field.current?.focus();
  };
  return (
    <SubmitForm form={form} kind="plain" submit="Add comment" reason={text.trim() === "" && "Write a comment first."}>
      <TextArea
        ref={field}
        label="New comment"
        hint="Type @ to mention a colleague. Keep personal data of customers out of comments."
        rows={2}
        maxLength={4_000}
        {...form.field("text")}
      />
      {typed.length > 0 && (
        <ul aria-label="Colleagues to mention" className="flex flex-wrap gap-1">
          {typed.map((person) => (
            <li key={person.id}>
              <Button onClick={() => mention(person.name)}>@{person.name}</Button>
            </li>
          ))}
        </ul>
      )}
    </SubmitForm>
  );
}
