BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE bots (
	name TEXT NOT NULL, 
	retired BOOLEAN NOT NULL, 
	create_time DOUBLE NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "bots" VALUES('ann',0,1.5);
INSERT INTO "bots" VALUES('bob',1,1.5);
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
	thinking_seconds TEXT NOT NULL, 
	PRIMARY KEY (tournament, mirror_group, seating), 
	FOREIGN KEY(tournament) REFERENCES tournaments (id)
)
 WITHOUT ROWID

;
INSERT INTO "matches" VALUES(1,0,0,'[0,1]','["3/2","1/2"]','[{"dealer":0,"forfeited":false,"scores":[70,50]},{"dealer":1,"forfeited":true,"scores":[70,50]}]','[]','[0,2]','[20,19]','[0.1,2.5]');
INSERT INTO "matches" VALUES(1,0,1,'[1,0]','["3/2","1/2"]','[{"dealer":0,"forfeited":false,"scores":[70,50]},{"dealer":1,"forfeited":true,"scores":[70,50]}]','[{"deal":1,"decision":4,"owner":"bot","reason":"exit status 1: \udcff\u0000","seat":1,"termination":"crashed"}]','[0,2]','[20,19]','[0.1,2.5]');
INSERT INTO "matches" VALUES(1,1,0,'[0,1]','["3/2","1/2"]','[{"dealer":0,"forfeited":false,"scores":[71,49]},{"dealer":1,"forfeited":true,"scores":[71,49]}]','[]','[0,2]','[20,19]','[0.1,2.5]');
INSERT INTO "matches" VALUES(1,1,1,'[1,0]','["3/2","1/2"]','[{"dealer":0,"forfeited":false,"scores":[71,49]},{"dealer":1,"forfeited":true,"scores":[71,49]}]','[{"deal":1,"decision":4,"owner":"bot","reason":"exit status 1: \udcff\u0000","seat":1,"termination":"crashed"}]','[0,2]','[20,19]','[0.1,2.5]');
INSERT INTO "matches" VALUES(1,2,0,'[0,1]','["3/2","1/2"]','[{"dealer":0,"forfeited":false,"scores":[72,48]},{"dealer":1,"forfeited":true,"scores":[72,48]}]','[]','[0,2]','[20,19]','[0.1,2.5]');
INSERT INTO "matches" VALUES(1,2,1,'[1,0]','["3/2","1/2"]','[{"dealer":0,"forfeited":false,"scores":[72,48]},{"dealer":1,"forfeited":true,"scores":[72,48]}]','[{"deal":1,"decision":4,"owner":"bot","reason":"exit status 1: \udcff\u0000","seat":1,"termination":"crashed"}]','[0,2]','[20,19]','[0.1,2.5]');
INSERT INTO "matches" VALUES(2,7,1,'[1,0]','["3/2","1/2"]','[{"dealer":0,"forfeited":false,"scores":[77,43]},{"dealer":1,"forfeited":true,"scores":[77,43]}]','[{"deal":1,"decision":4,"owner":"bot","reason":"exit status 1: \udcff\u0000","seat":1,"termination":"crashed"}]','[0,2]','[20,19]','[0.1,2.5]');
CREATE TABLE tournaments (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	definition TEXT NOT NULL, 
	concurrency INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	create_time DOUBLE NOT NULL, 
	end_time DOUBLE
);
INSERT INTO "tournaments" VALUES(1,'{"draw_probability":0.1,"draws":"seats","entrants":[{"content_hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","name":"ann","version":2},{"content_hash":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","name":"bob","version":1}],"groups":500,"isolation":"none","match_format":"deals:2","mirror":"rotations","name":"evening 1 \u00e8 \udcff","seed":"0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20","seed_chosen":false,"time":{"bank":7.5,"increment":0.1,"limit":5.0,"start_up":20.0},"variant":"briscola/2"}',4,'finished',2.5,9.75);
INSERT INTO "tournaments" VALUES(2,'{"draw_probability":0.1,"draws":"seats","entrants":[{"content_hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","name":"ann","version":1},{"content_hash":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","name":"bob","version":1}],"groups":500,"isolation":"none","match_format":"deals:2","mirror":"rotations","name":"evening 2 \u00e8 \udcff","seed":"02030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021","seed_chosen":true,"time":{"bank":7.5,"increment":0.1,"limit":5.0,"start_up":20.0},"variant":"briscola/2"}',8,'running',2.5,NULL);
INSERT INTO "tournaments" VALUES(3,'{"draw_probability":0.1,"draws":"seats","entrants":[{"content_hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","name":"ann","version":2},{"content_hash":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","name":"bob","version":1}],"groups":500,"isolation":"none","match_format":"deals:2","mirror":"rotations","name":"evening 3 \u00e8 \udcff","seed":"030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122","seed_chosen":false,"time":{"bank":7.5,"increment":0.1,"limit":5.0,"start_up":20.0},"variant":"briscola/2"}',12,'created',2.5,NULL);
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
CREATE TABLE withdrawals (
	tournament INTEGER NOT NULL, 
	entrant INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	PRIMARY KEY (tournament, entrant), 
	FOREIGN KEY(tournament) REFERENCES tournaments (id)
);
INSERT INTO "withdrawals" VALUES(2,1,'"did not start: \udcff\u0000\n"');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('tournaments',3);
COMMIT;
