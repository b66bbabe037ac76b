-- Searches of orders by an index of PostgreSQL's own, also by tags, tracking numbers and names of items. Not breaking:
-- converts the orders there are.

-- Words of an order, and their beginnings, each behind four letters that mark the organization and one that says whether it
-- tells who somebody is (p) or not (o). Part 0 is what hardly changes; tags and tracking numbers are part 1, so that
-- changing them does not write the rest again.
create table order_search (
  org_id uuid not null,
  order_id uuid not null,
  part smallint not null,
  created_at timestamptz not null,
  is_archived boolean not null,
  words tsvector not null,
  primary key (order_id, part)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);

-- What server/src/features/orders/list/search-words.ts does, for the orders there are.
create function pg_temp.plain(text text) returns text language sql immutable as $$
  select translate(replace(replace(replace(replace(
    regexp_replace(lower(normalize(regexp_replace(text, '[‘’‛ʹʻʼˈ´`′＇｀]', '''', 'g'), nfkd)), '[\u0300-\u036f]', '', 'g'),
    'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), 'øłđðħŧı', 'olddhti') $$;

create function pg_temp.words_of(texts text[]) returns setof text language sql immutable as $$
  select replace(substr(word, i), '''', '') from (
    select distinct left(regexp_replace(word, '^[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f]+|[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f]+$', '', 'g'), 100) as word
      from unnest(texts) as t (text), regexp_split_to_table(pg_temp.plain(text), '\s+') as word) w,
    generate_series(1, length(word)) as i
  where i = 1 or substr(word, i - 1, 3) ~ '^[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f][^\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f]{2}$' $$;

-- Which of the words so far tell who somebody is, nobody knows any more: all of them count as if they did.
insert into order_search (org_id, order_id, part, created_at, is_archived, words)
  select o.org_id, o.id, p.part, o.created_at, o.is_archived, p.words
    from orders o cross join lateral (
      select s.part, array_to_tsvector(array(
        select distinct right(o.org_id::text, 4) || w.kind || f.form
          from (select 'o' as kind, pg_temp.words_of(s.texts) as word
                union all
                select 'p', pg_temp.plain(replace(substr(l.lexeme, 7), '''', '')) from unnest(o.search) as l where s.part = 0) w
          cross join lateral (
            select w.word as form
            union all
            select left(w.word, n) from generate_series(3, least(8, length(w.word) - 1)) as n where left(w.word, n) !~ '[0-9]') f
         where f.form <> '')) as words
        from (values
          (0, array[o.number, o.external_id, o.shipping_address ->> 'company', o.shipping_address ->> 'city',
                o.shipping_address ->> 'zip']
              || array(select t from jsonb_array_elements(o.lines) as l,
                         unnest(array[l ->> 'sku', l ->> 'name']) as t)),
          (1, o.tags || array(select s ->> 'trackingNumber' from jsonb_array_elements(o.shipments) as s))) as s (part, texts)) p
   where p.words <> '';
create index order_search_words on order_search using gin (words);

drop table order_words;
drop function order_week;
alter table orders drop column search;
