-- The days on which the parcels of a comparison were sent are kept when they come in: to look for them in 100,000 items took a
-- quarter of a second at each start. Breaking: processes of before have to be stopped first, they would keep none.
alter table rate_comparisons add column ship_days text[] not null default '{}';
update rate_comparisons c
   set ship_days = array(select distinct i.input::jsonb ->> 11 from rate_items i
                          where i.comparison_id = c.id and i.input::jsonb ->> 11 is not null order by 1);
