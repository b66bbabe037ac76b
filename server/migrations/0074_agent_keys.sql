-- API keys for AI assistants. Not breaking: keys that exist are not agent keys, and older processes ignore the column.

alter table api_keys add column agent jsonb;
comment on column api_keys.agent is 'Limits of a key for an AI assistant: {"maxOrdersPerRun": 100}. Null: not an agent key.';
