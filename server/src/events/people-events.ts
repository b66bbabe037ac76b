import { Count, DateTime, Id } from "../core/schema.ts";
import { Type } from "../core/type.ts";
import { defineEvent } from "./define-event.ts";

const Text = Type.String();
const personal = { isPersonal: true };
const invitation = { role: Text };

/** Invitations, links for new passwords, and notifications. */
export const peopleEvents = {
  "invitation.created": defineEvent("invitation", "A user was invited", invitation, personal),
  "invitation.resent": defineEvent("invitation", "An invitation was sent again", invitation, personal),
  "invitation.revoked": defineEvent("invitation", "An invitation was revoked", invitation, personal),
  "invitation.accepted": defineEvent(
    "invitation",
    "An invitation was accepted",
    { ...invitation, userId: Id },
    personal,
  ),
  "user.password_reset_requested": defineEvent("user", "A link to choose a new password was created", {
    expiresAt: DateTime,
  }),
  "notification.created": defineEvent("notification", "Users were notified", {
    count: Count,
    userIds: Type.Array(Id, { description: "Users with new notifications; at most 200" }),
  }),
};
