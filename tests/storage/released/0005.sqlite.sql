BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0005');
CREATE TABLE attempts (
	tournament INTEGER NOT NULL, 
	mirror_group INTEGER NOT NULL, 
	seating INTEGER NOT NULL, 
	begun INTEGER NOT NULL, 
	PRIMARY KEY (tournament, mirror_group, seating), 
	FOREIGN KEY(tournament) REFERENCES tournaments (id)
)
 WITHOUT ROWID

;
INSERT INTO "attempts" VALUES(2,7,1,1);
INSERT INTO "attempts" VALUES(2,8,0,2);
CREATE TABLE bots (
	name TEXT NOT NULL, 
	retired BOOLEAN NOT NULL, 
	create_time DOUBLE NOT NULL, owner TEXT DEFAULT '' NOT NULL, remote BOOLEAN DEFAULT 0 NOT NULL, chosen INTEGER, 
	PRIMARY KEY (name)
);
INSERT INTO "bots" VALUES('ann',0,1.5,'',0,1);
INSERT INTO "bots" VALUES('bob',1,1.5,'',0,NULL);
INSERT INTO "bots" VALUES('rob',0,3.5,'alice',1,NULL);
CREATE TABLE checkpoints (
	tournament INTEGER NOT NULL, 
	groups INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	PRIMARY KEY (tournament), 
	FOREIGN KEY(tournament) REFERENCES tournaments (id)
);
CREATE TABLE deals (
	tournament INTEGER NOT NULL, 
	mirror_group INTEGER NOT NULL, 
	seating INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	actions BLOB NOT NULL, 
	micros BLOB NOT NULL, 
	substituted BLOB NOT NULL, 
	PRIMARY KEY (tournament, mirror_group, seating, number), 
	FOREIGN KEY(tournament, mirror_group, seating) REFERENCES matches (tournament, mirror_group, seating)
)
 WITHOUT ROWID

;
INSERT INTO "deals" VALUES(1,0,0,0,X'000000FF',X'00000000FFFFFFFF0000000005000000',X'');
INSERT INTO "deals" VALUES(1,0,0,1,X'000001FF',X'00000000FFFFFFFF0000000005000000',X'01000000');
INSERT INTO "deals" VALUES(1,0,1,0,X'000100FF',X'00000000FFFFFFFF0000000005000000',X'');
INSERT INTO "deals" VALUES(1,0,1,1,X'000101FF',X'00000000FFFFFFFF0000000005000000',X'01000000');
INSERT INTO "deals" VALUES(1,1,0,0,X'010000FF',X'01000000FFFFFFFF0000000005000000',X'');
INSERT INTO "deals" VALUES(1,1,0,1,X'010001FF',X'01000000FFFFFFFF0000000005000000',X'01000000');
INSERT INTO "deals" VALUES(1,1,1,0,X'010100FF',X'01000000FFFFFFFF0000000005000000',X'');
INSERT INTO "deals" VALUES(1,1,1,1,X'010101FF',X'01000000FFFFFFFF0000000005000000',X'01000000');
INSERT INTO "deals" VALUES(1,2,0,0,X'020000FF',X'02000000FFFFFFFF0000000005000000',X'');
INSERT INTO "deals" VALUES(1,2,0,1,X'020001FF',X'02000000FFFFFFFF0000000005000000',X'01000000');
INSERT INTO "deals" VALUES(1,2,1,0,X'020100FF',X'02000000FFFFFFFF0000000005000000',X'');
INSERT INTO "deals" VALUES(1,2,1,1,X'020101FF',X'02000000FFFFFFFF0000000005000000',X'01000000');
INSERT INTO "deals" VALUES(2,7,1,0,X'070100FF',X'07000000FFFFFFFF0000000005000000',X'');
INSERT INTO "deals" VALUES(2,7,1,1,X'070101FF',X'07000000FFFFFFFF0000000005000000',X'01000000');
CREATE TABLE fault_logs (
	tournament INTEGER NOT NULL, 
	mirror_group INTEGER NOT NULL, 
	seating INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	log TEXT NOT NULL, 
	PRIMARY KEY (tournament, mirror_group, seating, number), 
	FOREIGN KEY(tournament, mirror_group, seating) REFERENCES matches (tournament, mirror_group, seating)
);
INSERT INTO "fault_logs" VALUES(1,0,1,0,'"Traceback: \udcff\u0000\n"');
INSERT INTO "fault_logs" VALUES(1,1,1,0,'"Traceback: \udcff\u0000\n"');
INSERT INTO "fault_logs" VALUES(1,2,1,0,'"Traceback: \udcff\u0000\n"');
INSERT INTO "fault_logs" VALUES(2,7,1,0,'"Traceback: \udcff\u0000\n"');
CREATE TABLE matches (
	tournament INTEGER NOT NULL, 
	mirror_group INTEGER NOT NULL, 
	seating INTEGER NOT NULL, 
	entrants TEXT NOT NULL, 
	match_scores TEXT NOT NULL, 
	deals TEXT NOT NULL, 
	faults TEXT NOT NULL, 
	late TEXT NOT NULL, 
	decisions TEXT NOT NULL, 
	thinking_seconds TEXT NOT NULL, attempt INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (tournament, mirror_group, seating), 
	FOREIGN KEY(tournament) REFERENCES tournaments (id)
)
 WITHOUT ROWID

;
INSERT INTO "matches" VALUES(1,0,0,'[0,1]','["3/2","1/2"]','[{"dealer":0,"forfeited":false,"scores":[70,50]},{"dealer":1,"forfeited":true,"scores":[70,50]}]','[]','[0,2]','[20,19]','[0.1,2.5]',0);
INSERT INTO "matches" VALUES(1,0,1,'[1,0]','["3/2","1/2"]','[{"dealer":0,"forfeited":false,"scores":[70,50]},{"dealer":1,"forfeited":true,"scores":[70,50]}]','[{"deal":1,"decision":4,"owner":"bot","reason":"exit status 1: \udcff\u0000","seat":1,"termination":"crashed"}]','[0,2]','[20,19]','[0.1,2.5]',0);
INSERT INTO "matches" VALUES(1,1,0,'[0,1]','["3/2","1/2"]','[{"dealer":0,"forfeited":false,"scores":[71,49]},{"dealer":1,"forfeited":true,"scores":[71,49]}]','[]','[0,2]','[20,19]','[0.1,2.5]',1);
INSERT INTO "matches" VALUES(1,1,1,'[1,0]','["3/2","1/2"]','[{"dealer":0,"forfeited":false,"scores":[71,49]},{"dealer":1,"forfeited":true,"scores":[71,49]}]','[{"deal":1,"decision":4,"owner":"bot","reason":"exit status 1: \udcff\u0000","seat":1,"termination":"crashed"}]','[0,2]','[20,19]','[0.1,2.5]',1);
INSERT INTO "matches" VALUES(1,2,0,'[0,1]','["3/2","1/2"]','[{"dealer":0,"forfeited":false,"scores":[72,48]},{"dealer":1,"forfeited":true,"scores":[72,48]}]','[]','[0,2]','[20,19]','[0.1,2.5]',2);
INSERT INTO "matches" VALUES(1,2,1,'[1,0]','["3/2","1/2"]','[{"dealer":0,"forfeited":false,"scores":[72,48]},{"dealer":1,"forfeited":true,"scores":[72,48]}]','[{"deal":1,"decision":4,"owner":"bot","reason":"exit status 1: \udcff\u0000","seat":1,"termination":"crashed"}]','[0,2]','[20,19]','[0.1,2.5]',2);
INSERT INTO "matches" VALUES(2,7,1,'[1,0]','["3/2","1/2"]','[{"dealer":0,"forfeited":false,"scores":[77,43]},{"dealer":1,"forfeited":true,"scores":[77,43]}]','[{"deal":1,"decision":4,"owner":"bot","reason":"exit status 1: \udcff\u0000","seat":1,"termination":"crashed"}]','[0,2]','[20,19]','[0.1,2.5]',7);
CREATE TABLE ranking_states (
	variant TEXT NOT NULL, 
	tournament INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	PRIMARY KEY (variant, tournament), 
	FOREIGN KEY(tournament) REFERENCES tournaments (id)
);
INSERT INTO "ranking_states" VALUES('briscola/2',1,'{"ann":[25,8.3]}');
CREATE TABLE tokens (
	id TEXT NOT NULL, 
	role TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	label TEXT NOT NULL, 
	hash BLOB NOT NULL, 
	create_time DOUBLE NOT NULL, 
	revoked BOOLEAN NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "tokens" VALUES('aaaa','organiser','','"laptop \u00e8 \udcff\u0000"',X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F',4.5,0);
INSERT INTO "tokens" VALUES('bbbb','bot','rob','"laptop \u00e8 \udcff\u0000"',X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F',4.5,1);
CREATE TABLE tournaments (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	definition TEXT NOT NULL, 
	concurrency INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	create_time DOUBLE NOT NULL, 
	end_time DOUBLE
, matches_played INTEGER DEFAULT '0' NOT NULL, run_seconds DOUBLE DEFAULT '0' NOT NULL, pruned BOOLEAN DEFAULT 0 NOT NULL, revision INTEGER DEFAULT '0' NOT NULL);
INSERT INTO "tournaments" VALUES(1,'{"changes":[],"draw_probability":0.1,"draws":"seats","entrants":[{"content_hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","name":"ann","remote":false,"version":2},{"content_hash":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","name":"bob","remote":false,"version":1}],"groups":500,"hero":"","isolation":"none","match_format":"deals:2","mirror":"rotations","name":"evening 1 \u00e8 \udcff","pairing":"round-robin","rounds":null,"seed":"0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20","seed_chosen":false,"tables":null,"time":{"bank":7.5,"grace":10.0,"increment":0.1,"limit":5.0,"start_up":20.0},"until_separated":null,"variant":"briscola/2"}',4,'finished',2.5,9.75,6,12.25,0,1);
INSERT INTO "tournaments" VALUES(2,'{"changes":[],"draw_probability":0.1,"draws":"seats","entrants":[{"content_hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","name":"ann","remote":false,"version":1},{"content_hash":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","name":"bob","remote":false,"version":1}],"groups":500,"hero":"","isolation":"none","match_format":"deals:2","mirror":"rotations","name":"evening 2 \u00e8 \udcff","pairing":"round-robin","rounds":null,"seed":"02030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021","seed_chosen":true,"tables":null,"time":{"bank":7.5,"grace":10.0,"increment":0.1,"limit":5.0,"start_up":20.0},"until_separated":null,"variant":"briscola/2"}',8,'running',2.5,NULL,1,0.0,0,2);
INSERT INTO "tournaments" VALUES(3,'{"changes":[],"draw_probability":0.1,"draws":"seats","entrants":[{"content_hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","name":"ann","remote":false,"version":2},{"content_hash":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","name":"bob","remote":false,"version":1}],"groups":500,"hero":"","isolation":"none","match_format":"deals:2","mirror":"rotations","name":"evening 3 \u00e8 \udcff","pairing":"round-robin","rounds":null,"seed":"030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122","seed_chosen":false,"tables":null,"time":{"bank":7.5,"grace":10.0,"increment":0.1,"limit":5.0,"start_up":20.0},"until_separated":null,"variant":"briscola/2"}',12,'paused',2.5,NULL,0,0.0,0,0);
CREATE TABLE versions (
	bot TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	content_hash TEXT NOT NULL, 
	manifest TEXT NOT NULL, 
	trial TEXT, 
	create_time DOUBLE NOT NULL, 
	PRIMARY KEY (bot, number), 
	FOREIGN KEY(bot) REFERENCES bots (name)
);
INSERT INTO "versions" VALUES('ann',1,'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','{"capacity":8,"command":["python","\u00e8.py"]}',NULL,1.5);
INSERT INTO "versions" VALUES('bob',1,'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','{"capacity":8,"command":["python","\u00e8.py"]}',NULL,1.5);
INSERT INTO "versions" VALUES('ann',2,'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','{"capacity":8,"command":["python","\u00e8.py"]}','{"passed":true,"seconds":0.25}',1.5);
INSERT INTO "versions" VALUES('rob',1,'','{"capacity":2}',NULL,3.5);
CREATE TABLE withdrawals (
	tournament INTEGER NOT NULL, 
	entrant INTEGER NOT NULL, 
	reason TEXT NOT NULL, log TEXT, 
	PRIMARY KEY (tournament, entrant), 
	FOREIGN KEY(tournament) REFERENCES tournaments (id)
);
INSERT INTO "withdrawals" VALUES(2,1,'"did not start: \udcff\u0000\n"',NULL);
INSERT INTO "withdrawals" VALUES(2,0,'"did not start"','"Traceback: \udcff\u0000\n"');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('tournaments',3);
COMMIT;
