-- Renames of accounts, keys, sessions, error codes and event types before the first release. Breaking: hubs of the previous version must be stopped first.

alter table api_keys rename column maker_is_gone to creator_deleted;
alter table user_sessions rename column proved_at to authenticated_at;
alter table request_log rename column left_out to dropped_count;

-- Subscriptions name event types. Sealed audit entries keep the types of their time.
update webhooks
   set types = array(
     select case type
              when 'user.oidc_bound' then 'user.oidc_linked'
              when 'session.proved' then 'session.reauthenticated'
              when 'session.failed' then 'session.sign_in_failed'
              when 'session.reuse_detected' then 'session.token_reuse_detected'
              when 'api_key.reduced' then 'api_key.scopes_reduced'
              else type
            end
       from unnest(types) with ordinality as named (type, position)
      order by position)
 where types && array['user.oidc_bound', 'session.proved', 'session.failed', 'session.reuse_detected', 'api_key.reduced'];

-- Error codes that callers filter by or that records keep.
create temporary table renamed_codes on commit drop as
select * from (values
  ('sign_in_not_begun', 'sign_in_not_started'),
  ('issuer_refused', 'identity_provider_rejected'),
  ('issuer_unavailable', 'identity_provider_unavailable'),
  ('totp_enrolment_required', 'totp_enrollment_required'),
  ('unknown_account', 'account_not_linked'),
  ('own_account', 'self_lockout'),
  ('credentials_needed', 'credentials_required'),
  ('preview_calls_nobody', 'outbound_disabled_in_preview'),
  ('label_refused', 'label_rejected'),
  ('idempotency_in_progress', 'idempotency_key_in_use'),
  ('cursor_forked', 'cursor_mismatch'),
  ('cursor_too_old', 'cursor_expired')
) as renamed (was, is_now);

update request_log t set code = is_now from renamed_codes where t.code = was;
update task_executions t set error = jsonb_set(error, '{code}', to_jsonb(is_now)) from renamed_codes where error ->> 'code' = was;
update shipment_labels t set failure = jsonb_set(failure, '{code}', to_jsonb(is_now)) from renamed_codes where failure ->> 'code' = was;
update bridges t set last_error = jsonb_set(last_error, '{code}', to_jsonb(is_now)) from renamed_codes where last_error ->> 'code' = was;
update webhooks t set last_error = jsonb_set(last_error, '{code}', to_jsonb(is_now)) from renamed_codes where last_error ->> 'code' = was;
drop table renamed_codes;
