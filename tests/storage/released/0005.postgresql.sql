SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.attempts (
    tournament integer NOT NULL,
    mirror_group integer NOT NULL,
    seating integer NOT NULL,
    begun integer NOT NULL
);
CREATE TABLE public.bots (
    name text NOT NULL,
    retired boolean NOT NULL,
    create_time double precision NOT NULL,
    owner text DEFAULT ''::text NOT NULL,
    remote boolean DEFAULT false NOT NULL,
    chosen integer
);
CREATE TABLE public.checkpoints (
    tournament integer NOT NULL,
    groups integer NOT NULL,
    state text NOT NULL
);
CREATE TABLE public.deals (
    tournament integer NOT NULL,
    mirror_group integer NOT NULL,
    seating integer NOT NULL,
    number integer NOT NULL,
    actions bytea NOT NULL,
    micros bytea NOT NULL,
    substituted bytea NOT NULL
);
CREATE TABLE public.fault_logs (
    tournament integer NOT NULL,
    mirror_group integer NOT NULL,
    seating integer NOT NULL,
    number integer NOT NULL,
    log text NOT NULL
);
CREATE TABLE public.matches (
    tournament integer NOT NULL,
    mirror_group integer NOT NULL,
    seating integer NOT NULL,
    entrants text NOT NULL,
    match_scores text NOT NULL,
    deals text NOT NULL,
    faults text NOT NULL,
    late text NOT NULL,
    decisions text NOT NULL,
    thinking_seconds text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.ranking_states (
    variant text NOT NULL,
    tournament integer NOT NULL,
    state text NOT NULL
);
CREATE TABLE public.tokens (
    id text NOT NULL,
    role text NOT NULL,
    subject text NOT NULL,
    label text NOT NULL,
    hash bytea NOT NULL,
    create_time double precision NOT NULL,
    revoked boolean NOT NULL
);
CREATE TABLE public.tournaments (
    id integer NOT NULL,
    definition text NOT NULL,
    concurrency integer NOT NULL,
    status text NOT NULL,
    create_time double precision NOT NULL,
    end_time double precision,
    matches_played integer DEFAULT 0 NOT NULL,
    run_seconds double precision DEFAULT '0'::double precision NOT NULL,
    pruned boolean DEFAULT false NOT NULL,
    revision integer DEFAULT 0 NOT NULL
);
CREATE SEQUENCE public.tournaments_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.tournaments_id_seq OWNED BY public.tournaments.id;
CREATE TABLE public.versions (
    bot text NOT NULL,
    number integer NOT NULL,
    content_hash text NOT NULL,
    manifest text NOT NULL,
    trial text,
    create_time double precision NOT NULL
);
CREATE TABLE public.withdrawals (
    tournament integer NOT NULL,
    entrant integer NOT NULL,
    reason text NOT NULL,
    log text
);
ALTER TABLE ONLY public.tournaments ALTER COLUMN id SET DEFAULT nextval('public.tournaments_id_seq'::regclass);
INSERT INTO public.alembic_version VALUES ('0005');
INSERT INTO public.attempts VALUES (2, 7, 1, 1);
INSERT INTO public.attempts VALUES (2, 8, 0, 2);
INSERT INTO public.bots VALUES ('bob', true, 1.5, '', false, NULL);
INSERT INTO public.bots VALUES ('rob', false, 3.5, 'alice', true, NULL);
INSERT INTO public.bots VALUES ('ann', false, 1.5, '', false, 1);
INSERT INTO public.deals VALUES (1, 0, 0, 0, '\x000000ff', '\x00000000ffffffff0000000005000000', '\x');
INSERT INTO public.deals VALUES (1, 0, 0, 1, '\x000001ff', '\x00000000ffffffff0000000005000000', '\x01000000');
INSERT INTO public.deals VALUES (1, 0, 1, 0, '\x000100ff', '\x00000000ffffffff0000000005000000', '\x');
INSERT INTO public.deals VALUES (1, 0, 1, 1, '\x000101ff', '\x00000000ffffffff0000000005000000', '\x01000000');
INSERT INTO public.deals VALUES (1, 1, 0, 0, '\x010000ff', '\x01000000ffffffff0000000005000000', '\x');
INSERT INTO public.deals VALUES (1, 1, 0, 1, '\x010001ff', '\x01000000ffffffff0000000005000000', '\x01000000');
INSERT INTO public.deals VALUES (1, 1, 1, 0, '\x010100ff', '\x01000000ffffffff0000000005000000', '\x');
INSERT INTO public.deals VALUES (1, 1, 1, 1, '\x010101ff', '\x01000000ffffffff0000000005000000', '\x01000000');
INSERT INTO public.deals VALUES (1, 2, 0, 0, '\x020000ff', '\x02000000ffffffff0000000005000000', '\x');
INSERT INTO public.deals VALUES (1, 2, 0, 1, '\x020001ff', '\x02000000ffffffff0000000005000000', '\x01000000');
INSERT INTO public.deals VALUES (1, 2, 1, 0, '\x020100ff', '\x02000000ffffffff0000000005000000', '\x');
INSERT INTO public.deals VALUES (1, 2, 1, 1, '\x020101ff', '\x02000000ffffffff0000000005000000', '\x01000000');
INSERT INTO public.deals VALUES (2, 7, 1, 0, '\x070100ff', '\x07000000ffffffff0000000005000000', '\x');
INSERT INTO public.deals VALUES (2, 7, 1, 1, '\x070101ff', '\x07000000ffffffff0000000005000000', '\x01000000');
INSERT INTO public.fault_logs VALUES (1, 0, 1, 0, '"Traceback: \udcff\u0000\n"');
INSERT INTO public.fault_logs VALUES (1, 1, 1, 0, '"Traceback: \udcff\u0000\n"');
INSERT INTO public.fault_logs VALUES (1, 2, 1, 0, '"Traceback: \udcff\u0000\n"');
INSERT INTO public.fault_logs VALUES (2, 7, 1, 0, '"Traceback: \udcff\u0000\n"');
INSERT INTO public.matches VALUES (1, 0, 0, '[0,1]', '["3/2","1/2"]', '[{"dealer":0,"forfeited":false,"scores":[70,50]},{"dealer":1,"forfeited":true,"scores":[70,50]}]', '[]', '[0,2]', '[20,19]', '[0.1,2.5]', 0);
INSERT INTO public.matches VALUES (1, 0, 1, '[1,0]', '["3/2","1/2"]', '[{"dealer":0,"forfeited":false,"scores":[70,50]},{"dealer":1,"forfeited":true,"scores":[70,50]}]', '[{"deal":1,"decision":4,"owner":"bot","reason":"exit status 1: \udcff\u0000","seat":1,"termination":"crashed"}]', '[0,2]', '[20,19]', '[0.1,2.5]', 0);
INSERT INTO public.matches VALUES (1, 1, 0, '[0,1]', '["3/2","1/2"]', '[{"dealer":0,"forfeited":false,"scores":[71,49]},{"dealer":1,"forfeited":true,"scores":[71,49]}]', '[]', '[0,2]', '[20,19]', '[0.1,2.5]', 1);
INSERT INTO public.matches VALUES (1, 1, 1, '[1,0]', '["3/2","1/2"]', '[{"dealer":0,"forfeited":false,"scores":[71,49]},{"dealer":1,"forfeited":true,"scores":[71,49]}]', '[{"deal":1,"decision":4,"owner":"bot","reason":"exit status 1: \udcff\u0000","seat":1,"termination":"crashed"}]', '[0,2]', '[20,19]', '[0.1,2.5]', 1);
INSERT INTO public.matches VALUES (1, 2, 0, '[0,1]', '["3/2","1/2"]', '[{"dealer":0,"forfeited":false,"scores":[72,48]},{"dealer":1,"forfeited":true,"scores":[72,48]}]', '[]', '[0,2]', '[20,19]', '[0.1,2.5]', 2);
INSERT INTO public.matches VALUES (1, 2, 1, '[1,0]', '["3/2","1/2"]', '[{"dealer":0,"forfeited":false,"scores":[72,48]},{"dealer":1,"forfeited":true,"scores":[72,48]}]', '[{"deal":1,"decision":4,"owner":"bot","reason":"exit status 1: \udcff\u0000","seat":1,"termination":"crashed"}]', '[0,2]', '[20,19]', '[0.1,2.5]', 2);
INSERT INTO public.matches VALUES (2, 7, 1, '[1,0]', '["3/2","1/2"]', '[{"dealer":0,"forfeited":false,"scores":[77,43]},{"dealer":1,"forfeited":true,"scores":[77,43]}]', '[{"deal":1,"decision":4,"owner":"bot","reason":"exit status 1: \udcff\u0000","seat":1,"termination":"crashed"}]', '[0,2]', '[20,19]', '[0.1,2.5]', 7);
INSERT INTO public.ranking_states VALUES ('briscola/2', 1, '{"ann":[25,8.3]}');
INSERT INTO public.tokens VALUES ('aaaa', 'organiser', '', '"laptop \u00e8 \udcff\u0000"', '\x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 4.5, false);
INSERT INTO public.tokens VALUES ('bbbb', 'bot', 'rob', '"laptop \u00e8 \udcff\u0000"', '\x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 4.5, true);
INSERT INTO public.tournaments VALUES (3, '{"changes":[],"draw_probability":0.1,"draws":"seats","entrants":[{"content_hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","name":"ann","remote":false,"version":2},{"content_hash":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","name":"bob","remote":false,"version":1}],"groups":500,"hero":"","isolation":"none","match_format":"deals:2","mirror":"rotations","name":"evening 3 \u00e8 \udcff","pairing":"round-robin","rounds":null,"seed":"030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122","seed_chosen":false,"tables":null,"time":{"bank":7.5,"grace":10.0,"increment":0.1,"limit":5.0,"start_up":20.0},"until_separated":null,"variant":"briscola/2"}', 12, 'paused', 2.5, NULL, 0, 0, false, 0);
INSERT INTO public.tournaments VALUES (2, '{"changes":[],"draw_probability":0.1,"draws":"seats","entrants":[{"content_hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","name":"ann","remote":false,"version":1},{"content_hash":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","name":"bob","remote":false,"version":1}],"groups":500,"hero":"","isolation":"none","match_format":"deals:2","mirror":"rotations","name":"evening 2 \u00e8 \udcff","pairing":"round-robin","rounds":null,"seed":"02030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021","seed_chosen":true,"tables":null,"time":{"bank":7.5,"grace":10.0,"increment":0.1,"limit":5.0,"start_up":20.0},"until_separated":null,"variant":"briscola/2"}', 8, 'running', 2.5, NULL, 1, 0, false, 2);
INSERT INTO public.tournaments VALUES (1, '{"changes":[],"draw_probability":0.1,"draws":"seats","entrants":[{"content_hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","name":"ann","remote":false,"version":2},{"content_hash":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","name":"bob","remote":false,"version":1}],"groups":500,"hero":"","isolation":"none","match_format":"deals:2","mirror":"rotations","name":"evening 1 \u00e8 \udcff","pairing":"round-robin","rounds":null,"seed":"0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20","seed_chosen":false,"tables":null,"time":{"bank":7.5,"grace":10.0,"increment":0.1,"limit":5.0,"start_up":20.0},"until_separated":null,"variant":"briscola/2"}', 4, 'finished', 2.5, 9.75, 6, 12.25, false, 1);
INSERT INTO public.versions VALUES ('ann', 1, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '{"capacity":8,"command":["python","\u00e8.py"]}', NULL, 1.5);
INSERT INTO public.versions VALUES ('bob', 1, 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', '{"capacity":8,"command":["python","\u00e8.py"]}', NULL, 1.5);
INSERT INTO public.versions VALUES ('ann', 2, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '{"capacity":8,"command":["python","\u00e8.py"]}', '{"passed":true,"seconds":0.25}', 1.5);
INSERT INTO public.versions VALUES ('rob', 1, '', '{"capacity":2}', NULL, 3.5);
INSERT INTO public.withdrawals VALUES (2, 1, '"did not start: \udcff\u0000\n"', NULL);
INSERT INTO public.withdrawals VALUES (2, 0, '"did not start"', '"Traceback: \udcff\u0000\n"');
SELECT pg_catalog.setval('public.tournaments_id_seq', 1, false);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (tournament, mirror_group, seating);
ALTER TABLE ONLY public.bots
    ADD CONSTRAINT bots_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (tournament);
ALTER TABLE ONLY public.deals
    ADD CONSTRAINT deals_pkey PRIMARY KEY (tournament, mirror_group, seating, number);
ALTER TABLE ONLY public.fault_logs
    ADD CONSTRAINT fault_logs_pkey PRIMARY KEY (tournament, mirror_group, seating, number);
ALTER TABLE ONLY public.matches
    ADD CONSTRAINT matches_pkey PRIMARY KEY (tournament, mirror_group, seating);
ALTER TABLE ONLY public.ranking_states
    ADD CONSTRAINT ranking_states_pkey PRIMARY KEY (variant, tournament);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tournaments
    ADD CONSTRAINT tournaments_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.versions
    ADD CONSTRAINT versions_pkey PRIMARY KEY (bot, number);
ALTER TABLE ONLY public.withdrawals
    ADD CONSTRAINT withdrawals_pkey PRIMARY KEY (tournament, entrant);
ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(id);
ALTER TABLE ONLY public.checkpoints
    ADD CONSTRAINT checkpoints_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(id);
ALTER TABLE ONLY public.deals
    ADD CONSTRAINT deals_tournament_mirror_group_seating_fkey FOREIGN KEY (tournament, mirror_group, seating) REFERENCES public.matches(tournament, mirror_group, seating);
ALTER TABLE ONLY public.fault_logs
    ADD CONSTRAINT fault_logs_tournament_mirror_group_seating_fkey FOREIGN KEY (tournament, mirror_group, seating) REFERENCES public.matches(tournament, mirror_group, seating);
ALTER TABLE ONLY public.matches
    ADD CONSTRAINT matches_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(id);
ALTER TABLE ONLY public.ranking_states
    ADD CONSTRAINT ranking_states_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(id);
ALTER TABLE ONLY public.versions
    ADD CONSTRAINT versions_bot_fkey FOREIGN KEY (bot) REFERENCES public.bots(name);
ALTER TABLE ONLY public.withdrawals
    ADD CONSTRAINT withdrawals_tournament_fkey FOREIGN KEY (tournament) REFERENCES public.tournaments(id);
